import { WholePastes } from '../../src/screen/keys-of-input.ts';

/** A terminal whose input Ink never gets with a paste that has no end: it would wait for the end, deaf also to Ctrl-C. */
export function readWholePastes(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const pastes = new WholePastes();
  return withRead(stdin, () => {
    for (;;) {
      const chunk: string | Buffer | null = stdin.read();
      if (chunk === null) return null;
      const whole = pastes.push(String(chunk));
      if (whole !== '') return whole;
    }
  });
}

/** A terminal whose input is read by `read`. */
export function withRead(stdin: NodeJS.ReadStream, read: () => string | null): NodeJS.ReadStream {
  return new Proxy(stdin, {
    get(target, name) {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
