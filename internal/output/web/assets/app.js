// The page: what the address names is shown, from the newest parts of the document, again after each change.

import { patch } from './dom.js';
import { Live } from './live.js';
import { frame, unknownPage } from './frame.js';
import { jobsPage, jobPage } from './jobs.js';
import { logPage } from './log.js';
import { nodesPage } from './nodes.js';
import { nodePage } from './node.js';
import { gpuPage } from './gpu.js';
import { problemsPage } from './problems.js';
import { processesPage, ranksPage } from './processes.js';
import { usersPage } from './users.js';
import { stacksPage } from './stacks.js';
import { clusterPage } from './cluster.js';

const safe = encodeURIComponent;

// routes are the pages, by the first word of the address: the parts that a page shows, of which the last has all
// jobs, its tab, its name and how it is drawn.
const routes = {
  jobs: { parts: () => ['jobs'], tab: 'jobs', title: () => 'jobs', page: jobsPage },
  job: { parts: (id) => [`jobs/${safe(id)}`, 'jobs'], tab: 'jobs', title: (id) => `job ${id}`, page: jobPage },
  log: { parts: (id, of) => [`jobs/${safe(id)}/log${of === 'stderr' ? '?of=stderr' : ''}`, 'jobs'], tab: 'jobs', title: (id) => `the log of job ${id}`, page: logPage },
  stacks: { parts: (id) => [`jobs/${safe(id)}/stacks`, 'jobs'], tab: 'jobs', title: (id) => `the stacks of job ${id}`, page: stacksPage },
  cluster: { parts: () => ['cluster', 'jobs'], tab: 'cluster', title: () => 'cluster', page: clusterPage },
  nodes: { parts: () => ['nodes'], tab: 'nodes', title: () => 'nodes', page: nodesPage },
  node: { parts: (name) => [`nodes/${safe(name)}`, 'jobs'], tab: 'nodes', title: (name) => name, page: nodePage },
  gpu: { parts: (name, gpu) => [`nodes/${safe(name)}/gpus/${safe(gpu)}`, 'jobs'], tab: 'nodes', title: (name) => `a GPU of ${name}`, page: gpuPage },
  problems: { parts: () => ['problems'], tab: 'problems', title: () => 'problems', page: problemsPage },
  processes: { parts: () => ['processes', 'jobs'], tab: 'processes', title: () => 'processes', page: processesPage },
  ranks: { parts: () => ['processes', 'jobs'], tab: 'ranks', title: () => 'ranks', page: ranksPage },
  users: { parts: () => ['processes', 'jobs'], tab: 'users', title: () => 'users', page: usersPage },
};

// unknown is the page of an address that names none.
const unknown = { parts: () => ['jobs'], tab: '', title: () => 'no such page', page: unknownPage };

// routeOf reads the address. One without a name is that of the jobs.
function routeOf(hash) {
  const [name, ...words] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  const route = Object.hasOwn(routes, name || 'jobs') ? routes[name || 'jobs'] : unknown;
  const args = words.filter(Boolean);
  return { ...route, args, parts: route.parts(args[0] ?? '', args[1] ?? ''), title: route.title(args[0] ?? '') };
}

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

let route = routeOf(location.hash);

// draw is called for each change, and draws at most once per frame of the browser.
let asked = false;
export function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    document.title = `${route.title} · nvnodetop`;
    patch(document.body, frame(live, route, draw));
  });
}

const live = new Live(draw);

// A page that is gone back to is shown where it was left, one that a link leads to from its top.
const left = new Map();
let here = location.hash;
let followed = false;
addEventListener('click', (event) => {
  followed = Boolean(event.target.closest?.('a'));
});

function go() {
  left.set(here, scrollY);
  here = location.hash;
  route = routeOf(here);
  live.show(route.parts);
  draw();
  const to = followed ? 0 : left.get(here) || 0;
  followed = false;
  requestAnimationFrame(() => scrollTo(0, to));
}

addEventListener('resize', draw); // the columns of the heat map
addEventListener('hashchange', go);
go();
