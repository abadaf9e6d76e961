// Processes on GPUs: those of a node or a GPU, and the page of all. The page of ranks has those that have one.

import { h } from './dom.js';
import { processFields, rankFields } from './fields.js';
import { none } from './format.js';
import { listPage, plainTable, written } from './listing.js';
import { Problems, fresh, numberOf, worstLetter } from './model.js';
import { gpuLink, nodeLink } from './parts.js';

const processes = {
  name: 'processes',
  look: 'processes',
  title: 'Processes',
  nouns: ['process', 'processes'],
  hint: 'user, node, job, PID, command',
  fields: processFields,
  rows: (doc, docs) => rowsOf(doc.nodes || [], new Problems(docs[1]?.jobs || doc.jobs)),
  key: ({ node, p }) => `${node.name} ${p.pid} ${p.start_ticks} ${p.gpu ?? p.gpu_key}`,
  kind: ({ node }) => (node.state === 'stale' ? 'old' : ''),
  empty: (doc) => (doc.nodes?.some(fresh) ? 'No process is on a GPU.' : 'No node reports.'),
  value({ node, p, place }, f) {
    return { node: node.name, gpu: place, job: p.job_number, command: p.command || p.name }[f.key] ?? p[f.key];
  },
  cell(r, f) {
    const { node, p, g } = r;
    switch (f.key) {
      case 'node': return h('a', { href: nodeLink(node.name) }, node.name);
      case 'gpu': return h('a', { href: gpuLink(node.name, g) }, numberOf(node, g));
      case 'user': return p.foreign ? 'in a container' : p.user || none;
      case 'command': return h('code', { title: p.command }, p.command || p.name || none);
      default: return written(f, processes.value(r, f));
    }
  },
  mark: ({ slow }, f) => (slow && f.slow ? ' warning' : ''),
};

const ranks = {
  ...processes,
  name: 'ranks',
  look: 'processes ranks',
  title: 'Ranks',
  nouns: ['rank', 'ranks'],
  fields: rankFields,
  rows: (doc, docs) => processes.rows(doc, docs).filter(({ p }) => p.rank !== undefined),
  empty: (doc) => (doc.nodes?.some(fresh) ? 'No process names a rank in its environment.' : 'No node reports.'),
};

export const processesPage = listPage(processes);
export const ranksPage = listPage(ranks);

// processTable are the processes of some nodes, by GPU.
export function processTable(nodes, problems) {
  const rows = rowsOf(nodes, problems);
  const fields = processFields.filter((f) => !f.spare && f.key !== 'node');
  return rows.length ? plainTable(processes, rows, fields) : h('p', { class: 'empty' }, 'None.');
}

function rowsOf(nodes, problems) {
  return nodes.flatMap((node) => {
    const gpus = new Map((node.gpus || []).map((g) => [g.mig_instance ? g.key : g.index ?? g.key, g]));
    return (node.processes || []).map((p) => {
      const g = gpus.get(p.gpu_key ?? p.gpu) || { index: p.gpu, key: p.gpu_key };
      const slow = ['L', 'I'].includes(worstLetter(problems.ofGPU(node.name, g)).letter);
      return { node, p, g, slow, place: `${node.name} ${String(p.gpu ?? '').padStart(3, '0')} ${p.gpu_key ?? ''}` };
    });
  });
}
