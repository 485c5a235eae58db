"""The page in a real browser: drawn, reachable by keyboard, in both themes, on a phone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.report import samples

from envwright.report import write_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A page with results of every kind."""
    folder = tmp_path_factory.mktemp("report")
    write_report(folder / "report.html", samples.everything(folder / "results"))
    return folder / "report.html"


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    """Where screenshots are put, to be looked at."""
    folder = Path(os.environ.get("ENVWRIGHT_SCREENSHOTS") or tmp_path_factory.mktemp("shots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(browser, report):
    """Opens the page once per viewport and theme; what it complained of and asked for is kept."""
    contexts = {}

    def open_page(viewport, theme):
        key = (viewport["width"], theme)
        if key not in contexts:
            context = browser.new_context(viewport=viewport, color_scheme=theme)
            page = context.new_page()
            page.said, page.asked = [], []
            page.on("console", lambda message: page.said.append(message.text))
            page.on("pageerror", lambda error: page.said.append(str(error)))
            page.on("request", lambda request: page.asked.append(request.url))
            page.goto(report.as_uri())
            page.wait_for_selector("html[data-charts=drawn]", timeout=300_000)
            contexts[key] = page
        return contexts[key]

    yield open_page
    for page in contexts.values():
        page.context.close()


@pytest.fixture
def desktop(opened):
    return opened(DESKTOP, "light")


VIEWS = {
    "light": (DESKTOP, "light"),
    "dark": (DESKTOP, "dark"),
    "phone": (PHONE, "light"),
}
BRIEF = ["light", *(pytest.param(v, marks=pytest.mark.slow) for v in ("dark", "phone"))]


@pytest.mark.parametrize("view", BRIEF)
def test_it_loads_without_complaint_and_without_a_request(opened, shots, report, view):
    page = opened(*VIEWS[view])
    page.screenshot(path=shots / f"report-{view}.png", full_page=True)
    assert page.said == []
    others = [url for url in page.asked if url != report.as_uri() and not url.startswith("data:")]
    assert others == []


@pytest.mark.parametrize("view", BRIEF)
def test_every_chart_is_drawn(opened, view):
    page = opened(*VIEWS[view])
    charts = page.evaluate(
        """() => [...document.querySelectorAll('.plot')].map(plot => ({
            id: plot.id,
            marks: plot.querySelectorAll('.trace, .bars .point, .errorbar').length,
            wide: plot.querySelector('svg.main-svg')?.getBoundingClientRect().width,
            room: plot.clientWidth,
            alt: plot.getAttribute('aria-label'),
        }))"""
    )
    assert len(charts) == 8  # two of training, two of transfer, three of speed, one of time
    for chart in charts:
        assert chart["marks"] > 0 and chart["alt"], chart
        assert 0 < chart["wide"] <= chart["room"] + 1, chart


def test_every_link_within_the_page_leads_somewhere(desktop):
    missing = desktop.evaluate(
        """() => [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))
            .filter(href => !href.startsWith('#') || !document.getElementById(href.slice(1)))"""
    )
    assert missing == []
    ids = desktop.evaluate("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("view", BRIEF)
def test_every_image_has_loaded_and_has_words(opened, view):
    page = opened(*VIEWS[view])
    images = page.evaluate(
        "() => [...document.images].map(i => [i.complete && i.naturalWidth, i.alt])"
    )
    assert len(images) >= 4
    assert all(width > 0 and alt for width, alt in images)


# --- the slider ---------------------------------------------------------------------------------


def shown(viewer):
    """Both pictures, the fields that are marked, and the words."""
    return {
        "pictures": [image.get_attribute("src") for image in viewer.query_selector_all("img")],
        "marked": [
            row.query_selector("th").inner_text().split()[0]
            for row in viewer.query_selector_all("tbody tr.differs")
        ],
        "text": viewer.query_selector("output").inner_text(),
    }


@pytest.fixture
def viewer(desktop):
    viewer = desktop.query_selector("#cartpole-divergences .viewer")
    yield viewer
    viewer.query_selector("[data-do=part]").click()


def test_it_opens_where_the_two_part(viewer):
    now = shown(viewer)
    assert now["marked"] == ["obs[1]", "state.state[1]"]
    assert now["text"] == "after step 0, action 1: first difference"


def test_the_slider_obeys_the_keyboard_and_changes_pictures_and_fields(viewer, desktop):
    slider = viewer.query_selector("input")
    slider.focus()
    desktop.keyboard.press("Home")
    start = shown(viewer)
    assert start["text"] == "start" and start["marked"] == []
    assert start["pictures"][0] == start["pictures"][1]
    desktop.keyboard.press("ArrowRight")
    assert shown(viewer)["marked"]
    desktop.keyboard.press("End")
    end = shown(viewer)
    assert end["pictures"][0] != end["pictures"][1]
    assert len(end["marked"]) > 2 and "they differ" in end["text"]
    assert slider.get_attribute("aria-valuetext") == end["text"]


def test_play_runs_to_the_end(viewer, desktop):
    viewer.query_selector("[data-do=play]").click()
    last = viewer.query_selector("input").get_attribute("max")
    reached = "([input, last]) => input.value === last"
    desktop.wait_for_function(reached, arg=[viewer.query_selector("input"), last], timeout=300_000)
    assert "they differ" in shown(viewer)["text"]


def test_the_overlay_lays_one_picture_over_the_other(viewer):
    button = viewer.query_selector("[data-do=overlay]")
    button.click()
    boxes = [image.bounding_box() for image in viewer.query_selector_all("img")]
    assert boxes[0] == boxes[1] and button.get_attribute("aria-pressed") == "true"
    button.click()
    boxes = [image.bounding_box() for image in viewer.query_selector_all("img")]
    assert boxes[0]["x"] < boxes[1]["x"]


def test_fields_stand_alone_where_nothing_can_be_drawn(desktop):
    viewer = desktop.query_selector("[id^=other-][id$=-divergences] .viewer")
    assert viewer.query_selector_all("img") == []
    assert "no room of the zoo" in viewer.inner_text() and shown(viewer)["marked"]


# --- light, dark, small, on paper ---------------------------------------------------------------


def ground(page):
    return page.evaluate("() => getComputedStyle(document.body).backgroundColor")


def chart_colours(page):
    return page.evaluate(
        """() => [...document.querySelectorAll('.plot')].map(plot =>
            plot.querySelector('.xtitle')?.style.fill)"""
    )


def test_the_theme_follows_the_system(opened):
    light, dark = opened(DESKTOP, "light"), opened(DESKTOP, "dark")
    assert ground(light) != ground(dark)
    assert all(a != b for a, b in zip(chart_colours(light), chart_colours(dark), strict=True))


def test_the_button_switches_the_theme_and_the_charts_follow(desktop):
    before = ground(desktop), chart_colours(desktop)
    desktop.click("#theme")
    after = ground(desktop), chart_colours(desktop)
    assert after[0] != before[0] and after[1] != before[1]
    desktop.click("#theme")
    assert (ground(desktop), chart_colours(desktop)) == before


def test_a_phone_never_scrolls_sideways(opened):
    page = opened(PHONE, "light")
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]


def test_paper_is_light_and_shows_the_charts(opened, shots):
    page = opened(DESKTOP, "dark")
    page.evaluate(
        """() => addEventListener('beforeprint', () => {
            window.printed = [
                document.documentElement.dataset.theme,
                ...[...document.querySelectorAll('.plot svg.main-svg')].map(svg => svg.clientWidth)
            ];
        })"""
    )
    page.pdf(path=shots / "report.pdf", format="A4")
    theme, *widths = page.evaluate("() => window.printed")
    assert theme == "light" and max(widths) <= 680
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


def test_without_scripts_the_tables_are_there(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert "150" in page.inner_text("#cartpole-adequacy")
    assert page.inner_text("#cartpole-divergences tbody tr.differs th").startswith("obs[1]")
    context.close()
