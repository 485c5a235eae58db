"""Everything that can be stepped: simulators, vector simulators, host lanes, and their names."""
