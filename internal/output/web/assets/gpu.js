// The page of a GPU: what it is, its past in graphs, why its clocks were reduced, its links and errors, and its processes.

import { h } from './dom.js';
import { age, between, bytes, celsius, clock, finePercent, known, megahertz, model, percent, plural, rate, watts } from './format.js';
import { Problems, asSeen, fresh, hot, hotFrom } from './model.js';
import { graph, timeline } from './graph.js';
import { fact, facts, meter, problemList, section } from './parts.js';
import { gpuTabs, staleText } from './node.js';
import { processTable } from './processes.js';

const GiB = 2 ** 30;
const heat = ['hw_thermal_slowdown', 'sw_thermal_slowdown'];
const brake = 'hw_power_brake_slowdown';

export function gpuPage(doc, { args, draw }) {
  const node = asSeen(doc.nodes[0]);
  const g = node?.gpus?.find((other) => [other.uuid, other.key, String(other.index)].includes(args[1]));
  if (!g) return h('p', { class: 'empty' }, 'This GPU is not there any more.');
  const problems = new Problems(doc.jobs);
  const mine = problems.ofGPU(node.name, g);
  const own = (node.processes || []).filter((p) => (g.index !== undefined ? p.gpu === g.index : p.gpu_key === g.key));
  const unlisted = h('p', { class: 'empty' }, g.processes_unlisted || 'None.');
  return [
    gpuTabs(node, g, problems), identity(node, g, own), staleText(node, doc.time),
    g.lost && h('p', { key: 'lost', class: 'banner critical' }, `GPU lost: ${g.lost}. There are no numbers.`),
    mine.length > 0 && problemList(mine, doc.time),
    h('div', { key: 'past', class: fresh(node) ? '' : 'old' }, past(doc, g, mine, draw), section('Engines', '', engines(g)), section('Links and errors', '', links(g, node))),
    section('Processes', plural(own.length, 'process', 'processes'), own.length ? processTable([{ ...node, processes: own }], problems) : unlisted),
  ].filter(Boolean);
}

function identity(node, g, processes) {
  const rank = processes.find((p) => known(p.rank))?.rank;
  const words = [
    known(rank) && `rank ${rank}`, known(g.memory_of_processes_bytes) && `memory of processes ${bytes(g.memory_of_processes_bytes)}`, g.pci_bus && `bus ${g.pci_bus}`, known(g.numa_node) && `NUMA ${g.numa_node}`, known(g.performance_state) && `P${g.performance_state}`,
    node.driver_version && `driver ${node.driver_version}`, known(g.ecc_enabled) && `ECC ${g.ecc_enabled ? 'on' : 'off'}`, g.mig && 'MIG on',
    (g.jobs || []).some(Boolean) && `job ${g.jobs.join(', ')}`,
  ];
  return h('h1', { key: 'title' }, h('b', {}, model(g.name)), words.filter(Boolean).map((word, i) => h('span', { key: i, class: 'dim' }, word)),
    g.uuid && h('code', { class: 'dim' }, g.uuid));
}

// past is the history of the GPU: graphs on one time axis, then the reasons for reduced clocks on the same one.
function past(doc, g, problems, draw) {
  const { metrics: m, throttle_reasons: reasons } = doc.history || {};
  if (!m) return h('p', { key: 'past', class: 'empty' }, 'No history yet.');
  const length = Math.max(0, ...Object.values(m).map((list) => list.length));
  const axis = { bin: doc.history.bin_seconds, length, newest: doc.history.newest, draw };
  return [
    section(lasting(doc, age(axis.bin * length)), `a step is ${axis.bin} s`, h('div', { class: 'graphs' }, charts(g, m, reasons, axis, problems).map((chart) => graph(chart, axis)))),
    reasons && section('Throttle reasons', '', timeline(reasons, axis, g.throttle_reasons || [])),
  ];
}

// lasting says which time the graphs show.
function lasting(doc, span) {
  const last = doc.nodes[0].past;
  return last ? `The ${span} until ${clock(last.time)}` : `Last ${span}`;
}

const both = (a, b) => a && b && a.map((v, i) => (known(v) && known(b[i]) ? v + b[i] : null));
// reducedBy says of each sample whether the clocks were reduced for one of these reasons.
const reducedBy = (samples, these) => (samples || []).map((now) => (now || []).some((reason) => these.includes(reason)));

// limited is a title with the limit of its scale, where there is one.
const limited = (title, limit) => (limit === undefined ? title : `${title} of ${limit}`);

// charts are the graphs of the screen, in its order, of the metrics that the GPU has. Amber is where a rule held.
function charts(g, m, reasons, axis, problems) {
  const heated = reducedBy(reasons, heat);
  const warm = (m.temperature_celsius || []).map((v, i) => (known(v) && v >= hotFrom(g)) || heated[i]);
  return [
    share('Utilization %', m.util_percent, g.util_percent, behind(problems, axis, m.util_percent || [])),
    {
      title: limited('Memory GiB', known(g.memory_total_bytes) ? (g.memory_total_bytes / GiB).toFixed(1) : undefined), list: m.memory_used_bytes, now: bytes(g.memory_used_bytes),
      high: g.memory_total_bytes, unit: GiB, area: true, quiet: true, text: bytes,
    },
    {
      title: limited('Power W', known(g.power_limit_watts) ? Math.round(g.power_limit_watts) : undefined), list: m.power_watts, now: watts(g.power_watts),
      high: g.power_limit_watts, area: true, held: reducedBy(reasons, [brake]), text: watts,
    },
    {
      title: `Temperature °C${known(g.slowdown_celsius) ? `, slows at ${g.slowdown_celsius}` : ''}`, list: m.temperature_celsius, now: celsius(g.temperature_celsius), nowBad: hot(g),
      low: 30, high: 100, line: g.slowdown_celsius, held: warm, text: celsius,
    },
    { title: limited('SM clock MHz', g.sm_max_mhz), list: m.sm_mhz, now: megahertz(g.sm_mhz), high: g.sm_max_mhz, held: reducedBy(reasons, [...heat, brake, 'hw_slowdown']), text: megahertz },
    traffic('NVLink GB/s, both ways', m, g, 'nvlink', nvlinkMost(g)),
    traffic('PCIe GB/s, both ways', m, g, 'pcie', pcieMost(g)),
    share('Memory read/write time %', m.mem_util_percent, g.mem_util_percent),
  ].filter((chart) => chart.list);
}

// share is a graph of percents.
const share = (title, list, now, held) => ({ title, list, now: percent(now), high: 100, area: true, held, text: percent });

// traffic is a graph of both directions of a link, up to most bytes per second.
function traffic(title, m, g, link, most) {
  const [tx, rx] = [`${link}_tx_bytes_per_second`, `${link}_rx_bytes_per_second`];
  return { title, list: both(m[tx], m[rx]), now: rate(g[tx] + g[rx]), high: most, unit: 1e9, area: true, text: rate };
}

// behind marks the time since when a rule holds that the GPU does too little.
function behind(problems, axis, list) {
  const f = problems.find((p) => (p.kind === 'lag' || p.kind === 'idle') && p.since);
  const from = f ? list.length - 1 - between(f.since, axis.newest) / axis.bin : Infinity;
  return list.map((_, i) => i >= from);
}

// A lane of PCIe carries so many bytes per second one way, by generation from 1 on.
const lane = [0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9];
const pcieMost = (g) => (known(lane[g.pcie_gen_max - 1]) && g.pcie_width_max > 0 ? 2 * g.pcie_width_max * lane[g.pcie_gen_max - 1] : undefined);

// From Blackwell on a link of NVLink is twice as fast.
const nvlinkMost = (g) => (g.nvlink_links > 0 && g.cuda_capability ? 2 * g.nvlink_links * (g.cuda_capability.length >= 4 ? 50e9 : 25e9) : undefined);

const engineNames = [
  ['sm_active_percent', 'SM active'], ['sm_occupancy_percent', 'Occupancy'], ['tensor_active_percent', 'Tensor'], ['dram_active_percent', 'DRAM'], ['encoder_percent', 'Encoder'],
  ['decoder_percent', 'Decoder'], ['jpeg_percent', 'JPEG'], ['ofa_percent', 'OFA'],
];

function engines(g) {
  const there = engineNames.filter(([key]) => known(g[key]));
  return there.length ? facts(there.map(([key, name]) => fact(name, meter(g[key], 'data', finePercent(g[key]))))) : h('p', { class: 'empty' }, 'n/a');
}

// links are the rows of what the GPU is connected by, and of errors.
function links(g, node) {
  const xids = (node.xids || []).filter((x) => g.index !== undefined && x.gpu === g.index);
  return h('dl', { class: 'links' },
    linkRow('PCIe', known(g.pcie_gen) && pcie(g)), linkRow('NVLink', g.nvlink_links > 0 && nvlink(g)), linkRow('ECC', known(g.ecc_uncorrected_volatile) && ecc(g)),
    linkRow('Xid', xids.length ? xids.map((x, i) => h('span', { key: i, class: 'warning' }, `Xid ${x.code} at ${clock(x.time)}`)) : 'none seen'));
}

const linkRow = (name, value) => h('div', { key: name }, h('dt', {}, name), h('dd', { class: value ? '' : 'dim' }, value || 'n/a'));

const ways = (rx, tx) => h('span', { key: 'ways' }, `rx ${rate(rx)}, tx ${rate(tx)}`);

// counts are counters by name. Amber are those of which one is too many.
const counts = (pairs) => pairs.filter(([, v]) => known(v)).map(([name, v, bad]) => h('span', { key: name, class: v > 0 && bad ? 'warning' : '' }, `${name} ${v}`));

const pcie = (g) => [
  h('span', { key: 'state' }, `gen${g.pcie_gen} x${g.pcie_width ?? '?'} of gen${g.pcie_gen_max ?? '?'} x${g.pcie_width_max ?? '?'}`),
  ways(g.pcie_rx_bytes_per_second, g.pcie_tx_bytes_per_second), counts([['replays', g.pcie_replays]]),
];

const nvlink = (g) => [
  h('span', { key: 'state', class: g.nvlink_up?.length < g.nvlink_links ? 'warning' : '' }, `${g.nvlink_up?.length ?? '?'} of ${g.nvlink_links} up`),
  ways(g.nvlink_rx_bytes_per_second, g.nvlink_tx_bytes_per_second),
  counts([['CRC errors', g.nvlink_crc_errors], ['replays', g.nvlink_replays], ['recoveries', g.nvlink_recoveries]]),
];

const sum = (a, b) => (known(a) || known(b) ? (a || 0) + (b || 0) : undefined);

const ecc = (g) => counts([
  ['uncorrected', g.ecc_uncorrected_volatile, true], ['corrected', g.ecc_corrected_volatile], ['remapped rows', sum(g.remapped_rows_correctable, g.remapped_rows_uncorrectable)],
  ['retired pages', sum(g.retired_pages_correctable, g.retired_pages_uncorrectable)],
]);
