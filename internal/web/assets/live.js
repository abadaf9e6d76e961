// The connection to the server: one stream that says that there is something new, and one request for each part of the document that the page
// shows. The server is asked for nothing else, and for nothing at all while nobody looks at the tab.

const patience = 10000; // ms until a request has failed
const silence = 20000; // ms without a word after which the server is asked whether it is still there
const waits = [1000, 2000, 4000, 8000, 15000]; // ms between attempts

export class Live {
  // changed is called after everything that the page shows has changed.
  constructor(changed) {
    Object.assign(this, { changed, parts: {}, wanted: [], missing: new Set(), goneSince: null, denied: false, ended: false, failures: 0, busy: false, again: false });
    document.addEventListener('visibilitychange', () => this.wake());
    window.addEventListener('online', () => this.wake());
    window.addEventListener('pageshow', (event) => event.persisted && this.wake());
    setInterval(() => this.watch(), 1000);
    this.listen();
  }

  // show names the parts that the page shows from now on. What was fetched of others before is kept until then, so going back shows at once.
  show(parts) {
    this.wanted = parts;
    this.missing.clear();
    this.fetch();
  }

  listen() {
    this.stream?.close();
    this.heard = Date.now();
    const stream = new EventSource('api/v1/events');
    this.stream = stream;
    stream.addEventListener('snapshot', () => this.news());
    stream.addEventListener('end', () => {
      this.ended = true;
      stream.close();
      this.lost();
    });
    stream.addEventListener('error', () => stream.readyState === EventSource.CLOSED && !this.ended && this.lost());
  }

  news() {
    this.heard = Date.now();
    this.fetch();
  }

  // wake is called when somebody looks at the tab again, or no longer.
  wake() {
    if (document.hidden) return this.stream.close();
    if (this.stream.readyState === EventSource.CLOSED) this.listen();
    this.fetch();
  }

  // watch notices a server that is silent, and lets the age of the silence be seen.
  watch() {
    if (document.hidden) return;
    if (this.goneSince !== null) this.changed();
    else if (Date.now() - this.heard > silence) this.news();
  }

  // fetch asks for the parts. While it does, what is new meanwhile is asked for once more.
  async fetch() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    const wanted = this.wanted;
    const good = (await Promise.all(wanted.map((part) => this.get(part)))).every(Boolean);
    this.busy = false;
    if (good) this.back();
    else this.lost();
    this.changed();
    if (this.again || wanted !== this.wanted) {
      this.again = false;
      if (good || wanted !== this.wanted) this.fetch();
    }
  }

  // get fetches a part, and says whether the server is there.
  async get(part) {
    try {
      const reply = await fetch(`api/v1/${part}`, { cache: 'no-cache', credentials: 'same-origin', signal: AbortSignal.timeout(patience) });
      this.denied = reply.status === 401 || reply.status === 403;
      if (reply.status === 404) this.missing.add(part);
      else if (!reply.ok) return false;
      else {
        this.missing.delete(part);
        this.parts[part] = await reply.json();
      }
      return true;
    } catch {
      return false;
    }
  }

  back() {
    this.failures = 0;
    this.goneSince = null;
    this.heard = Date.now();
    if (this.ended || this.stream.readyState === EventSource.CLOSED) {
      this.ended = false;
      if (!document.hidden) this.listen();
    }
  }

  // lost tries again after a while, ever less often.
  lost() {
    this.goneSince ??= Date.now();
    this.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => !document.hidden && this.fetch(), waits[Math.min(this.failures++, waits.length - 1)]);
  }
}
