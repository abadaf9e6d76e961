// The page of a GPU: what it is, its past in graphs, why its clocks were reduced, its links and errors, and its processes.

import { h } from './dom.js';
import { age, between, bytes, celsius, clock, known, megahertz, model, none, percent, plural, rate, watts } from './format.js';
import { Problems, addressOf, fresh, hot, hotFrom } from './model.js';
import { graph, timeline } from './graph.js';
import { fact, facts, meter, problemList, section } from './parts.js';
import { gpuTabs, staleText } from './node.js';
import { processTable } from './processes.js';

const GiB = 2 ** 30;
const heat = ['hw_thermal_slowdown', 'sw_thermal_slowdown'];
const brake = 'hw_power_brake_slowdown';

export function gpuPage(doc, { args, draw }) {
  const node = doc.nodes[0];
  const g = node?.gpus?.find((other) => addressOf(other) === args[1] || String(other.index) === args[1] || other.key === args[1]);
  if (!g) return h('p', { class: 'empty' }, 'This GPU is not there any more.');
  const problems = new Problems(doc.jobs);
  const mine = problems.ofGPU(node.name, g);
  const own = (node.processes || []).filter((p) => (g.index !== undefined && !g.mig_instance ? p.gpu === g.index : p.gpu_key === g.key));
  return [
    gpuTabs(node, g, problems), identity(node, g, own), staleText(node, doc.time), g.lost && h('p', { key: 'lost', class: 'banner critical' }, `GPU lost: ${g.lost}. There are no numbers.`),
    mine.length > 0 && problemList(mine, doc.time), h('div', { key: 'past', class: fresh(node) ? '' : 'old' }, past(doc, g, mine, draw)),
    section('Engines', '', engines(g)), section('Links and errors', '', links(g, node)),
    section('Processes', plural(own.length, 'process', 'processes'), own.length ? processTable(doc, [{ ...node, processes: own }], problems) : h('p', { class: 'empty' }, g.processes_unlisted || 'None.')),
  ].filter(Boolean);
}

function identity(node, g, processes) {
  const rank = processes.find((p) => known(p.rank))?.rank;
  const words = [known(rank) && `rank ${rank}`, g.pci_bus && `bus ${g.pci_bus}`, known(g.numa_node) && `NUMA ${g.numa_node}`, known(g.performance_state) && `P${g.performance_state}`, node.driver_version && `driver ${node.driver_version}`,
    known(g.ecc_enabled) && `ECC ${g.ecc_enabled ? 'on' : 'off'}`, g.mig && 'MIG on', (g.jobs || []).length > 0 && `job ${g.jobs.join(', ')}`];
  return h('h1', { key: 'title' }, h('b', {}, model(g.name)), words.filter(Boolean).map((word, i) => h('span', { key: i, class: 'dim' }, word)), g.uuid && h('code', { class: 'dim' }, g.uuid));
}

// past is the history of the GPU: graphs on one time axis, then the reasons for reduced clocks on the same one.
function past(doc, g, problems, draw) {
  const { metrics, throttle_reasons } = doc.history || {};
  const m = metrics && Object.assign({}, metrics, throttle_reasons && { throttle_reasons }); // they are a list of bins, too
  if (!m) return h('p', { class: 'empty' }, 'No history yet.');
  const length = Math.max(0, ...Object.values(m).map((list) => list.length));
  const axis = { bin: doc.history.bin_seconds, length, newest: doc.history.newest, draw };
  const title = `Last ${age(Math.max(axis.bin * length, 1))}`;
  return [
    section(title, `a step is ${axis.bin} s`, h('div', { class: 'graphs' }, charts(g, m, axis, problems).map((chart) => graph(chart, axis)))),
    m.throttle_reasons && section('Throttle reasons', '', timeline(m.throttle_reasons, axis, g.throttle_reasons || [])),
  ];
}

const both = (a, b) => a && b && a.map((v, i) => (known(v) && known(b[i]) ? v + b[i] : null));
const reduced = (m, reasons) => (m.throttle_reasons || []).map((now) => (now || []).some((r) => reasons.includes(r)));

// charts are the graphs of the screen, in its order, of the metrics that the GPU has. Amber is where a rule held.
function charts(g, m, axis, problems) {
  const limit = g.power_limit_watts;
  const slow = reduced(m, [...heat, brake, 'hw_slowdown']);
  const warm = (m.temperature_celsius || []).map((v, i) => (known(v) && v >= hotFrom(g)) || reduced(m, heat)[i]);
  return [
    { title: 'Utilization %', list: m.util_percent, now: percent(g.util_percent), high: 100, area: true, held: behind(problems, axis), text: percent },
    { title: `Memory GiB${known(g.memory_total_bytes) ? ` of ${(g.memory_total_bytes / GiB).toFixed(1)}` : ''}`, list: m.memory_used_bytes, now: bytes(g.memory_used_bytes), high: g.memory_total_bytes, unit: GiB, area: true, quiet: true, text: bytes },
    { title: `Power W${known(limit) ? ` of ${Math.round(limit)}` : ''}`, list: m.power_watts, now: watts(g.power_watts), high: limit, area: true, held: reduced(m, [brake]), text: watts },
    { title: `Temperature °C${known(g.slowdown_celsius) ? `, slows at ${g.slowdown_celsius}` : ''}`, list: m.temperature_celsius, now: celsius(g.temperature_celsius), nowBad: hot(g), low: 30, high: 100, line: g.slowdown_celsius, held: warm, text: celsius },
    { title: `SM clock MHz${known(g.sm_max_mhz) ? ` of ${g.sm_max_mhz}` : ''}`, list: m.sm_mhz, now: megahertz(g.sm_mhz), high: g.sm_max_mhz, held: slow, nowBad: slow.at(-1), text: megahertz },
    { title: 'NVLink GB/s, both ways', list: both(m.nvlink_tx_bytes_per_second, m.nvlink_rx_bytes_per_second), now: rate(g.nvlink_tx_bytes_per_second + g.nvlink_rx_bytes_per_second), high: nvlinkMost(g), unit: 1e9, area: true, text: rate },
    { title: 'PCIe GB/s, both ways', list: both(m.pcie_tx_bytes_per_second, m.pcie_rx_bytes_per_second), now: rate(g.pcie_tx_bytes_per_second + g.pcie_rx_bytes_per_second), high: pcieMost(g), unit: 1e9, area: true, text: rate },
    { title: 'Memory bandwidth %', list: m.mem_util_percent, now: percent(g.mem_util_percent), high: 100, area: true, text: percent },
  ].filter((chart) => chart.list);
}

// behind marks the time since when a rule holds that the GPU does too little.
function behind(problems, axis) {
  const f = problems.find((p) => (p.kind === 'lag' || p.kind === 'idle') && p.since);
  const from = f ? axis.length - 1 - between(f.since, axis.newest) / axis.bin : Infinity;
  return Array.from({ length: axis.length }, (_, i) => i >= from);
}

// A lane of PCIe carries so many bytes per second one way, by generation from 1 on.
const lane = [0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9];
const pcieMost = (g) => (known(lane[g.pcie_gen_max - 1]) && g.pcie_width_max > 0 ? 2 * g.pcie_width_max * lane[g.pcie_gen_max - 1] : undefined);

// From Blackwell on a link of NVLink is twice as fast.
const nvlinkMost = (g) => (g.nvlink_links > 0 && g.cuda_capability ? 2 * g.nvlink_links * (g.cuda_capability.length >= 4 ? 50e9 : 25e9) : undefined);

const engineNames = [['sm_active_percent', 'SM active'], ['sm_occupancy_percent', 'Occupancy'], ['tensor_active_percent', 'Tensor'], ['dram_active_percent', 'DRAM'], ['encoder_percent', 'Encoder'], ['decoder_percent', 'Decoder'], ['jpeg_percent', 'JPEG'], ['ofa_percent', 'OFA']];

function engines(g) {
  const there = engineNames.filter(([key]) => known(g[key]));
  return there.length ? facts(there.map(([key, name]) => fact(name, meter(g[key], 'data')))) : h('p', { class: 'empty' }, 'n/a');
}

const counts = (pairs) => pairs.filter(([, v]) => known(v)).map(([name, v]) => h('span', { key: name, class: v > 0 && name !== 'corrected' ? 'warning' : '' }, `${name} ${v}`));

function links(g, node) {
  const way = (tx, rx) => h('span', { key: 'way' }, `rx ${rate(rx)}, tx ${rate(tx)}`);
  const xids = (node.xids || []).filter((x) => x.gpu === g.index);
  return h('dl', { class: 'links' },
    linkRow('PCIe', known(g.pcie_gen) ? [h('span', { key: 'state' }, `gen${g.pcie_gen} x${g.pcie_width ?? '?'} of gen${g.pcie_gen_max ?? '?'} x${g.pcie_width_max ?? '?'}`), way(g.pcie_tx_bytes_per_second, g.pcie_rx_bytes_per_second), counts([['replays', g.pcie_replays]])] : none),
    linkRow('NVLink', g.nvlink_links > 0 ? [h('span', { key: 'state', class: g.nvlink_up?.length < g.nvlink_links ? 'warning' : '' }, `${g.nvlink_up?.length ?? '?'} of ${g.nvlink_links} up`), way(g.nvlink_tx_bytes_per_second, g.nvlink_rx_bytes_per_second), counts([['CRC errors', g.nvlink_crc_errors], ['replays', g.nvlink_replays], ['recoveries', g.nvlink_recoveries]])] : none),
    linkRow('ECC', known(g.ecc_uncorrected_volatile) ? counts([['uncorrected', g.ecc_uncorrected_volatile], ['corrected', g.ecc_corrected_volatile], ['remapped rows', known(g.remapped_rows_correctable) ? g.remapped_rows_correctable + (g.remapped_rows_uncorrectable || 0) : undefined], ['retired pages', known(g.retired_pages_correctable) ? g.retired_pages_correctable + (g.retired_pages_uncorrectable || 0) : undefined]]) : none),
    linkRow('Xid', xids.length ? xids.map((x, i) => h('span', { key: i, class: 'warning' }, `Xid ${x.code} at ${clock(x.time)}`)) : 'none seen'));
}

const linkRow = (name, value) => h('div', { key: name }, h('dt', {}, name), h('dd', { class: value === none ? 'dim' : '' }, value === none ? 'n/a' : value));
