// The users who have processes on the GPUs of the nodes, and what they hold there.

import { userFields } from './fields.js';
import { none } from './format.js';
import { listPage, written } from './listing.js';
import { fresh } from './model.js';

export const usersPage = listPage({
  name: 'users',
  look: 'users',
  title: 'Users',
  nouns: ['user', 'users'],
  hint: 'user, job, command',
  fields: userFields,
  rows: (doc) => usersOf(doc.nodes || []),
  key: (u) => u.user || '',
  kind: () => '',
  empty: (doc) => (doc.nodes?.some(fresh) ? 'No process is on a GPU.' : 'No node reports.'),
  value: (u, f) => u[f.key],
  cell: (u, f) => (f.key === 'user' ? u.user || none : written(f, u[f.key])),
});

function usersOf(nodes) {
  const users = new Map();
  for (const node of nodes) {
    for (const p of node.processes || []) {
      const u = users.get(p.user) || { user: p.user, on: new Set(), held: new Set(), pids: new Set(), jobs: new Set() };
      users.set(p.user, u);
      u.on.add(node.name);
      u.held.add(`${node.name} ${p.gpu_key ?? p.gpu}`);
      u.pids.add(`${node.name} ${p.pid} ${p.start_ticks}`);
      if (p.job_number) u.jobs.add(p.job_number);
      if (p.gpu_memory_bytes !== undefined) u.gpu_memory_bytes = (u.gpu_memory_bytes || 0) + p.gpu_memory_bytes;
      u.command ??= p.command || p.name;
      if (p.elapsed_seconds > (u.elapsed_seconds ?? -1)) {
        u.elapsed_seconds = p.elapsed_seconds;
        u.command = p.command || p.name;
      }
    }
  }
  return [...users.values()].map((u) => ({ ...u, nodes: u.on.size, gpus: u.held.size, processes: u.pids.size, job: [...u.jobs].join(' ') }));
}
