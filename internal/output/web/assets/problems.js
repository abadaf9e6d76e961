// The page of the problems of all jobs.

import { plural } from './format.js';
import { clearedOf, problemsOf } from './model.js';
import { clearedList, problemList, section } from './parts.js';

export function problemsPage(doc) {
  const problems = problemsOf(doc.jobs);
  const cleared = clearedOf(doc.jobs);
  const many = doc.jobs.length > 1;
  return [
    section('Problems', problems.length ? `${plural(problems.length, 'problem', 'problems')}, worst first` : '', problemList(problems, doc.time, many)),
    cleared.length > 0 && section('Cleared', 'in the last hour', clearedList(cleared)),
  ].filter(Boolean);
}
