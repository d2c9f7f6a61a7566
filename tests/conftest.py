"""Fixtures that all tests may use."""

pytest_plugins = ["tests.fake_provider.fixture"]
