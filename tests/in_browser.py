"""A headless browser for the tests of pages, and what is measured in it."""

import functools
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest


def open_browser():
    """Start Chromium, yield it and quit it; skip where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("needs the Debian packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


def resize(browser, width, height=900):
    """Give the page the width of a screen, below 600 that of a telephone."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@functools.cache
def axe_source():
    """Source of the accessibility checker axe-core, or the reason why there is none."""
    npm = shutil.which("npm")
    if npm is None:
        return None, "needs npm, which fetches axe-core"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [npm, "pack", "axe-core@4", "--silent"],
                cwd=folder, capture_output=True, text=True, timeout=120,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, "axe-core: npm did not answer"
        packed = list(Path(folder).glob("axe-core-*.tgz"))
        if done.returncode or not packed:
            return None, f"npm could not fetch axe-core: {done.stderr[-200:]}"
        with tarfile.open(packed[0]) as archive:
            return archive.extractfile("package/axe.min.js").read().decode(), ""


def accessibility_violations(browser):
    """What axe-core finds wrong with the open page: rules and elements; and rules that passed."""
    source, reason = axe_source()
    if source is None:
        pytest.skip(reason)
    browser.execute_script(source)
    found = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(JSON.stringify({violations: r.violations.map("
        "v => [v.id, v.nodes.map(n => n.html)]), passed: r.passes.map(p => p.id)})))"
    )
    result = json.loads(found)
    return result["violations"], result["passed"]
