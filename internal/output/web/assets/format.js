// Numbers, times and names as text, as the screen of nvnodetop writes them. What is not known is none.

export const none = '–';
const GiB = 2 ** 30;

export const known = (v) => typeof v === 'number' && Number.isFinite(v);
export const whole = (v) => (known(v) ? String(Math.round(v)) : none);
export const percent = (v) => (known(v) ? `${Math.round(v)}%` : none);
// finePercent is a percentage that is measured with a decimal: below 10 it has it.
export const finePercent = (v) => (known(v) && v < 9.95 && !Number.isInteger(v) ? `${v.toFixed(1)}%` : percent(v));
export const celsius = (v) => (known(v) ? `${Math.round(v)}°C` : none);
export const watts = (v) => (known(v) ? `${Math.round(v)} W` : none);
export const megahertz = (v) => (known(v) ? `${Math.round(v)} MHz` : none);
export const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;

// short is a number with one decimal below 100, and none from there.
const short = (v) => (v < 99.95 ? v.toFixed(1) : String(Math.round(v)));

// bytes are in GiB, from 10,000 GiB on in TiB.
export function bytes(v) {
  if (!known(v)) return none;
  return v < 1e4 * GiB ? `${short(v / GiB)} GiB` : `${short(v / GiB / 1024)} TiB`;
}

// pair is an amount of a total, both in the unit of the total: "565/637 GiB".
export function pair(used, total) {
  if (!known(used) || !known(total)) return bytes(used);
  const [unit, size] = total < 1e4 * GiB ? ['GiB', GiB] : ['TiB', GiB * 1024];
  return `${short(used / size)}/${short(total / size)} ${unit}`;
}

// memory is a pair; where the driver does not count the used memory, the sum of the processes, which says so.
export const memory = (used, total, ofProcesses) => (known(used) || !known(ofProcesses) ? pair(used, total) : `${bytes(ofProcesses)} procs`);

// power is in W, of many GPUs in kW.
export function power(now, limit, large) {
  if (!known(now)) return none;
  const text = (v) => (large ? (v < 1e5 ? (v / 1000).toFixed(1) : String(Math.round(v / 1000))) : String(Math.round(v)));
  return `${text(now)}${known(limit) ? `/${text(limit)}` : ''} ${large ? 'kW' : 'W'}`;
}

// rate is in GB/s: whole from 10.
export function rate(v) {
  if (!known(v)) return none;
  return `${v < 9.95e9 ? (v / 1e9).toFixed(1) : Math.round(v / 1e9)} GB/s`;
}

// speed is in the unit of 1000 in which it is readable.
export function speed(v) {
  if (!known(v)) return none;
  let at = 0;
  for (; v >= 999.5 && at < 4; at += 1) v /= 1000;
  return `${at > 0 && v < 9.95 ? v.toFixed(1) : Math.round(v)} ${['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s'][at]}`;
}

// age has one unit below an hour, then two.
export function age(seconds) {
  if (!known(seconds)) return none;
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${Math.floor((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86400)}d${Math.floor((s % 86400) / 3600)}h`;
}

// span is a time as SLURM writes it: 8:03:12, 1-03:22:40.
export function span(seconds) {
  if (!known(seconds)) return none;
  const s = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const days = Math.floor(s / 86400);
  const hours = Math.floor((s % 86400) / 3600);
  return `${days ? `${days}-${two(hours)}` : hours}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
}

// between is the time from a moment to another, in seconds.
export function between(from, to) {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return known(seconds) ? seconds : undefined;
}

export function clock(time) {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? none : at.toLocaleTimeString('en-GB');
}

// model is a model without its maker's name, and with the profile of a MIG instance first, as on the screen.
export const model = (name) => (name || '').replace(/^NVIDIA /, '').replace(/^(.*) MIG (.*)$/, '$2 $1');
