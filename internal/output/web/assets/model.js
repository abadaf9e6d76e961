// What pages derive from the document: the GPUs of a job, totals, the problems of a node or GPU. The rules are those of the screen (package tally).

import { awaited, kinds, letters, failures } from './kinds.js';
import { known } from './format.js';

const worth = { critical: 3, warning: 2, waiting: 1, note: 0 };
const rankOfLetter = Object.keys(letters);

// problemsOf lists the problems of jobs, worst first as they come. One that two jobs of a node share is there once.
export function problemsOf(jobs) {
  const seen = new Map();
  for (const job of jobs || []) {
    for (const f of job.findings || []) {
      const place = [f.kind, f.node, f.gpu, f.gpu_key, f.since].join(' ');
      if (seen.has(place)) seen.get(place).jobs.push(job.id);
      else seen.set(place, { ...f, jobs: [job.id] });
    }
  }
  return [...seen.values()].sort((a, b) => worth[b.severity] - worth[a.severity]);
}

// clearedOf lists the problems that are over, newest first.
export function clearedOf(jobs) {
  const all = (jobs || []).flatMap((job) => (job.cleared || []).map((f) => ({ ...f, jobs: [job.id] })));
  return all.sort((a, b) => Date.parse(b.over) - Date.parse(a.over));
}

// Problems finds the problems of a node, and of a GPU. That a job stands still is also one of the GPUs for which it waits.
export class Problems {
  constructor(jobs) {
    this.all = problemsOf(jobs).flatMap((f) => [f, ...(f.awaited || []).map((place) => ({ ...f, ...place, awaited: true, text: `Awaited by the job. ${f.text}` }))]);
    this.nodes = new Map();
    for (const f of this.all) this.nodes.set(f.node, [...this.ofNode(f.node), f]);
  }

  ofNode(name) { return this.nodes.get(name) || []; }

  ofGPU(name, g) { return this.ofNode(name).filter((f) => isOf(f, g)); }
}

const isOf = (f, g) => f.all_gpus || (f.gpu !== undefined && f.gpu === g.index) || (f.gpu_key !== undefined && (f.gpu_key === g.key || f.gpu_key === g.uuid));

// letterOf is the letter of a problem in a cell, '' for none.
function letterOf(f) {
  if (f.severity === 'note' || (f.kind === 'lag' && worth[f.severity] < worth.warning)) return '';
  return nameOf(f)?.[0] || '';
}

// nameOf is the letter and the name of a problem.
const nameOf = (f) => (f.awaited === true ? awaited : kinds[f.kind]);

// worstLetter is the letter of a GPU's problems that goes before the others, with its severity.
export function worstLetter(problems) {
  let worst = { letter: '', severity: '' };
  for (const f of problems) {
    const letter = letterOf(f);
    if (letter && (!worst.letter || rankOfLetter.indexOf(letter) < rankOfLetter.indexOf(worst.letter))) worst = { letter, severity: f.severity };
  }
  return worst;
}

// labelOf names a problem behind the name of its node or GPU.
export function labelOf(f) {
  if (f.class) return failures[f.class] || kinds.node_failed[1];
  return nameOf(f)?.[1] || f.kind;
}

// markOf is the glyph of the worst problem: act, look, wait.
export function markOf(problems) {
  const most = Math.max(-1, ...problems.map((f) => worth[f.severity]));
  return ['', '', 'waiting', 'warning', 'critical'][most + 1];
}

export const glyphs = { critical: '✗', warning: '▲', waiting: '◌', note: '·' };

// fresh says that the numbers of a node are those of now.
export const fresh = (node) => node.state === 'reporting';

// asSeen is a node with its past in place of the numbers that it lacks since it failed.
export const asSeen = (node) => (node && node.past ? { ...node, ...node.past } : node);

// old says that the numbers that a node shows are not those of now.
export const old = (node) => node.state === 'stale' || node.past !== undefined;

// isInstance tells an instance of a GPU in MIG mode from a GPU: it never counts as one.
export const isInstance = (g) => g.mig_instance !== undefined;

// numberOf names a GPU as SLURM counts it, an instance as "3:1".
export function numberOf(node, g) {
  if (!isInstance(g)) return g.index === undefined ? '?' : String(g.index);
  const parent = (node.gpus || []).find((p) => p.uuid && p.uuid === g.mig_instance.parent);
  return `${parent?.index ?? '?'}:${g.mig_instance.index}`;
}

// addressOf is what finds a GPU on its node.
export const addressOf = (g) => g.uuid || (g.index !== undefined ? String(g.index) : g.key || '');

// owns says that a GPU is one of the job, or without a job one of yours. Where nobody knows whose the GPUs are, and without SLURM, all count.
export function owns(node, g, job) {
  const unknown = node.owner_unknown || [];
  if (job) return (g.jobs || []).includes(job.id) || unknown.includes(job.id) || !job.id;
  return g.jobs !== undefined || unknown.length > 0;
}

// gpusOf are the GPUs of a job on a node, or of all jobs.
export const gpusOf = (node, job) => (node.gpus || []).filter((g) => !isInstance(g) && owns(node, g, job));

// hotFrom is the temperature from which a GPU is close to being slowed by heat.
export const hotFrom = (g) => (known(g.slowdown_celsius) ? g.slowdown_celsius - 2 : 85);

// slowsAt says at which temperature the first of some GPUs slows down.
export function slowsAt(gpus) {
  const lowest = least(gpus.map((g) => g.slowdown_celsius).filter(known));
  return known(lowest) ? `slows at ${lowest}°C` : '';
}

const heat = ['hw_thermal_slowdown', 'sw_thermal_slowdown'];

export const hot = (g) => known(g.temperature_celsius) && (g.temperature_celsius >= hotFrom(g) || (g.throttle_reasons || []).some((r) => heat.includes(r)));

// Below 98 % allocators fill the memory on purpose.
export const memoryFull = 98;

export const share = (part, all) => (known(part) && all > 0 ? Math.min(100, (100 * part) / all) : undefined);

const memoryShare = (g) => share(g.memory_used_bytes, g.memory_total_bytes);
const heatShare = (g) => share(g.temperature_celsius, g.slowdown_celsius || 85);

// gauges are the numbers by which the heat map compares GPUs: a level in percent, and what a cell says.
export const gauges = {
  util: { title: 'utilization', brief: 'util', unit: '%', level: (g) => g.util_percent, high: () => false },
  memory: { title: 'memory', brief: 'memory', unit: '%', level: memoryShare, high: (g) => memoryShare(g) >= memoryFull },
  temp: { title: 'temperature', brief: 'temp', unit: '°C', level: heatShare, number: (g) => g.temperature_celsius, high: hot },
  power: { title: 'power', brief: 'power', unit: '%', level: (g) => share(g.power_watts, g.power_limit_watts), high: () => false },
};

// total works out the totals of GPUs. One that does not give a number is not counted as 0.
export function total(gpus) {
  const values = (key, also) => gpus.filter((g) => known(g[key]) && (!also || known(g[also]))).map((g) => g[key]);
  const sum = (list) => (list.length ? list.reduce((a, b) => a + b, 0) : undefined);
  const utils = values('util_percent');
  return {
    gpus: gpus.length, counted: utils.length, util: utils.length ? sum(utils) / utils.length : undefined, low: least(utils), high: most(utils),
    used: sum(values('memory_used_bytes', 'memory_total_bytes')), memory: sum(values('memory_total_bytes', 'memory_used_bytes')),
    procs: gpus.every((g) => known(g.memory_of_processes_bytes)) ? sum(values('memory_of_processes_bytes')) : undefined,
    power: sum(values('power_watts')), limit: sum(values('power_limit_watts', 'power_watts')), temp: most(values('temperature_celsius')),
    hot: gpus.some(hot),
  };
}

const least = (list) => (list.length ? Math.min(...list) : undefined);
const most = (list) => (list.length ? Math.max(...list) : undefined);

// badness orders nodes: the worse, the lower.
export function badness(node, problems) {
  return -Math.max(0, ...problems.ofNode(node.name).map((f) => worth[f.severity]));
}

// shortNames cuts what all names begin with, up to a place where it reads well.
export function shortNames(names) {
  if (names.length < 2) return { prefix: '', short: (name) => name };
  let end = names[0].length - 1;
  for (const name of names) while (end > 0 && !name.startsWith(names[0].slice(0, end))) end--;
  const prefix = names[0].slice(0, end).replace(/[0-9]+$/, '');
  return { prefix, short: (name) => name.slice(prefix.length) };
}
