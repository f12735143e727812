/** An answer that is an error, as Graph forms it. */
export class GraphFailure extends Error {
  readonly status: number;
  readonly code: string;
  /** The more exact code inside `innerError`. */
  readonly inner: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { inner?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.name = 'GraphFailure';
    this.status = status;
    this.code = code;
    this.inner = more.inner;
    this.headers = more.headers ?? {};
  }
}

/** The body of an error. */
export function failureBody(code: string, message: string, inner?: string): unknown {
  return {
    error: {
      code,
      message,
      innerError: {
        ...(inner !== undefined && { code: inner }),
        date: new Date().toISOString().slice(0, 19),
        'request-id': crypto.randomUUID(),
        'client-request-id': crypto.randomUUID(),
      },
    },
  };
}

/** 404: there is no such item. */
export function notFound(message = 'The resource could not be found.'): GraphFailure {
  return new GraphFailure(404, 'itemNotFound', message);
}

/** 400 with the most common code. */
export function invalidRequest(message: string, inner?: string): GraphFailure {
  return new GraphFailure(400, 'invalidRequest', message, inner === undefined ? {} : { inner });
}

/** 409: the name is taken. */
export function nameTaken(name: string): GraphFailure {
  return new GraphFailure(
    409,
    'nameAlreadyExists',
    `An item with the same name already exists under the parent: ${name}`,
  );
}

/** What this kind of drive cannot do. */
export function notSupported(message: string): GraphFailure {
  return new GraphFailure(400, 'notSupported', message);
}
