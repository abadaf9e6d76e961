// The page of the cluster: the GPUs that SLURM can still give to jobs, by partition and by node, as SLURM said last.

import { h } from './dom.js';
import { clock, none, plural } from './format.js';
import { row, section, table } from './parts.js';

const counts = [{ title: 'Free', class: 'count' }, { title: 'Used', class: 'count' }, { title: 'Out', class: 'count' }, { title: 'All', class: 'count' }];
const columns = (name, state) => [{ title: name, class: 'name' }, { title: 'GPU', class: 'type' }, ...counts, { title: state, class: 'words' }];

const most = 300; // nodes that are shown: those with free GPUs first
const free = (n) => (n.gpus || []).reduce((sum, g) => sum + g.free, 0);

export function clusterPage(doc) {
  const c = doc.cluster;
  const failed = doc.error && h('p', { key: 'error', class: 'banner' }, doc.error);
  if (!c) return [failed || h('p', { key: 'none', class: 'empty' }, 'SLURM is being asked.')];
  const nodes = [...(c.nodes || [])].sort((a, b) => free(b) - free(a));
  const shown = nodes.slice(0, most);
  const partitions = [{ name: 'all nodes', gpus: c.types || [], state: '' }, ...(c.partitions || [])];
  return [
    failed, c.note && h('p', { key: 'note', class: 'dim' }, c.note),
    section('GPUs of the cluster', `SLURM at ${clock(c.time)}`, table('capacity', columns('Partition', 'State'), partitions.flatMap((p) => rows(p, p.default ? `${p.state}, default` : p.state)))),
    section('Nodes', `${shown.length < nodes.length ? `${most} of ` : ''}${plural(nodes.length, 'node', 'nodes')} with GPUs`, table('capacity', columns('Node', 'State'), shown.flatMap((n) => rows(n, stateOf(n))))),
  ].filter(Boolean);
}

// stateOf is the state of a node, with the reason that an admin gave.
const stateOf = (n) => [(n.states || []).join('+'), n.not_responding && 'not responding', n.reason].filter(Boolean).join(', ');

// rows are the GPUs of something, a row for each of their types.
function rows(of, state) {
  return (of.gpus || []).map((g) => row(`${of.name} ${g.type || ''}`, '', [
    ['name', of.name], ['type', g.type || none], [g.free > 0 ? 'count free' : 'count', String(g.free), 'free'], ['count', String(g.used), 'used'], ['count', String(g.out), 'out'],
    ['count', String(g.total), 'all'], ['words', state || ''],
  ]));
}
