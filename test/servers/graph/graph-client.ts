import { isObject, type JsonObject } from './graph-call.ts';
import type { TestGraph } from './start-graph.ts';

/** An answer as a test reads it. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is a JSON object; an empty object otherwise. */
  readonly json: JsonObject;
  /** Code of an error, the inner one where there is one. */
  readonly code: string | undefined;
}

/** What is sent beside the method and the address. */
export interface Sent {
  readonly json?: unknown;
  readonly body?: string | Buffer | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends no token. */
  readonly anonymous?: boolean;
}

/** Sends plain requests to a Graph server; addresses are whole ones, or come after the base path. */
export class GraphClient {
  readonly #graph: TestGraph;
  token: string;

  constructor(graph: TestGraph) {
    this.#graph = graph;
    this.token = graph.newToken().access_token;
  }

  /** One request; redirects are not followed. */
  async send(method: string, address: string, sent: Sent = {}): Promise<Answered> {
    const { json, body, headers, anonymous = false } = sent;
    const url = address.startsWith('http') ? address : `${this.#graph.graphUrl}${address}`;
    const payload = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(!anonymous && { authorization: `Bearer ${this.token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    });
    const text = await response.text();
    const parsed = parse(text);
    const error = isObject(parsed['error']) ? parsed['error'] : {};
    const inner = isObject(error['innerError']) ? error['innerError']['code'] : undefined;
    const code = inner ?? error['code'] ?? parsed['error'];
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: parsed,
      code: typeof code === 'string' ? code : undefined,
    };
  }

  /** Items of a listing with all its pages, and how many pages it had. */
  async pages(
    address: string,
  ): Promise<{ items: JsonObject[]; sizes: number[]; last: JsonObject }> {
    const items: JsonObject[] = [];
    const sizes: number[] = [];
    for (let next = address; ; ) {
      const { status, json, text } = await this.send('GET', next);
      if (status !== 200) throw new Error(`${status} ${text}`);
      const value = json['value'] as JsonObject[];
      items.push(...value);
      sizes.push(value.length);
      const link = json['@odata.nextLink'];
      if (typeof link !== 'string') return { items, sizes, last: json };
      next = link;
    }
  }

  /** An upload session for a path below the root of the default drive. */
  async session(path: string, json: JsonObject = {}): Promise<string> {
    const answer = await this.send('POST', `/me/drive/root:/${path}:/createUploadSession`, {
      json,
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return `${answer.json['uploadUrl']}`;
  }

  /** One fragment of an upload, which begins at `start`. */
  fragment(url: string, start: number, piece: Buffer, total: number): Promise<Answered> {
    const range = `bytes ${start}-${start + piece.length - 1}/${total}`;
    const headers = { 'content-range': range };
    return this.send('PUT', url, { body: piece, headers, anonymous: true });
  }
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
