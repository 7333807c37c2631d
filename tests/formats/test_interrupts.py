"""Ctrl-C while a large file is read or written."""

import sys

import pytest
from interrupting import interrupt, worker

SUFFIXES = ("bif", "xmlbif", "net", "uai", "xdsl", "json", "json.gz")

PREPARE = """
network = dc.random_network([(parent, 14) for parent in range(14)], seed=1)
folder = {folder!r}
for suffix in {suffixes!r}:
    dc.write(network, f"{{folder}}/before.{{suffix}}", rename=True)
"""
IS_WELL = 'dc.read(f"{folder}/before.json") == network'


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interrupted")
    with worker(PREPARE.format(folder=str(folder), suffixes=SUFFIXES), IS_WELL) as found:
        yield found
    assert not [file.name for file in folder.iterdir() if file.suffix == ".part"]


@pytest.mark.skipif(sys.platform == "win32", reason="no process can be sent SIGINT")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_interrupt_is_heard_at_once_and_leaves_everything_usable(process, suffix):
    interrupt(process, f'dc.read(f"{{folder}}/before.{suffix}")')
    interrupt(process, f'dc.write(network, f"{{folder}}/after.{suffix}", rename=True)')
