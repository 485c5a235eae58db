"""The page of a run in a real browser: drawn, folded, quiet, in both themes, on a phone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.report import recipe_samples as recipe

from envwright.report.run_page import write_run_page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
VIEWS = {"light": (DESKTOP, "light"), "dark": (DESKTOP, "dark"), "phone": (PHONE, "light")}
BRIEF = ["light", *(pytest.param(v, marks=pytest.mark.slow) for v in ("dark", "phone"))]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """Opens the page of a run; what it complained of, asked for and popped up is kept."""
    folder = tmp_path_factory.mktemp("runs")
    stories = {"whole": recipe.whole_run, "evil": recipe.evil_run}
    for name, tell in stories.items():
        write_run_page(folder / f"{name}.html", str(tell(folder / name).folder))
    contexts = {}

    def open_page(name="whole", view="light"):
        if (name, view) not in contexts:
            viewport, theme = VIEWS[view]
            page = browser.new_context(viewport=viewport, color_scheme=theme).new_page()
            page.said, page.asked = [], []
            page.on("console", lambda message: page.said.append(message.text))
            page.on("pageerror", lambda error: page.said.append(str(error)))
            page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
            page.on("request", lambda request: page.asked.append(request.url))
            page.goto((folder / f"{name}.html").as_uri())
            page.wait_for_selector("html[data-charts=drawn]", timeout=300_000)
            contexts[name, view] = page
        return contexts[name, view]

    yield open_page
    for page in contexts.values():
        page.context.close()


@pytest.mark.parametrize("view", BRIEF)
def test_it_loads_quietly_and_draws_every_chart(opened, view):
    page = opened("whole", view)
    if shots := os.environ.get("ENVWRIGHT_SCREENSHOTS"):  # to be looked at
        page.screenshot(path=Path(shots) / f"run-{view}.png", full_page=True)
    assert page.said == []
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in page.asked if url.startswith("file:")]) == 1
    charts = page.evaluate(
        """() => [...document.querySelectorAll('.plot')].map(plot => ({
            marks: plot.querySelectorAll('.trace .point').length,
            wide: plot.querySelector('svg.main-svg')?.getBoundingClientRect().width,
            room: plot.clientWidth,
            alt: plot.getAttribute('aria-label'),
        }))"""
    )
    assert len(charts) == 6  # progress four times, gains and speeds
    for chart in charts:
        assert chart["marks"] > 0 and chart["alt"] and 0 < chart["wide"] <= chart["room"] + 1


def test_folds_open_and_links_lead_into_them(opened):
    page = opened()
    prompt = page.query_selector("#turn-1 .prompt pre")
    assert not prompt.is_visible()
    page.click("#turn-1 .prompt summary")
    assert prompt.is_visible() and "A long contract." in prompt.inner_text()
    link = page.query_selector("#turn-3 .changed a")
    change = page.query_selector(link.get_attribute("href"))
    assert not change.is_visible()
    link.click()
    assert change.query_selector(".added").is_visible()


def test_every_link_leads_somewhere_and_every_id_is_the_only_one(opened):
    missing, ids = opened().evaluate(
        """() => [[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))
                .filter(href => !href.startsWith('#') || !document.getElementById(href.slice(1))),
            [...document.querySelectorAll('[id]')].map(e => e.id)]"""
    )
    assert missing == [] and len(ids) == len(set(ids))


def test_a_phone_never_scrolls_sideways_with_everything_unfolded(opened):
    page = opened("whole", "phone")
    page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]


def test_what_an_agent_wrote_never_runs(opened):
    page = opened("evil")
    page.hover("#progress-turns .point >> nth=-1", force=True)
    page.wait_for_selector("#progress-turns .hovertext")
    assert "<script>" in page.text_content("#progress-turns .hovertext")
    page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.said == [] and page.query_selector_all("img, main script") == []
