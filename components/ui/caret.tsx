import { Box, type CursorPosition, type DOMElement, measureElement, useCursor } from 'ink';
import {
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';

/** A line where text is typed, and the column of that. */
interface TypedLine {
  readonly box: DOMElement;
  column: number;
}

/** Where text is typed on a screen: in the line that came last, which may lie over another. */
class Carets {
  readonly #lines = new Set<TypedLine>();
  readonly #listeners = new Set<() => void>();
  #place: CursorPosition | undefined;

  readonly place = (): CursorPosition | undefined => this.#place;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** @returns it is gone */
  add(line: TypedLine): () => void {
    this.#lines.add(line);
    return () => void this.#lines.delete(line);
  }

  /** Looks where the last line is now. */
  measure(): void {
    const line = [...this.#lines].at(-1);
    const box = line && measureElement(line.box);
    const place = line && box && { x: box.x + line.column, y: box.y };
    if (place?.x === this.#place?.x && place?.y === this.#place?.y) return;
    this.#place = place;
    for (const listener of this.#listeners) listener();
  }
}

const CaretContext = createContext<Carets | undefined>(undefined);

/** Places the terminal's own cursor where text is typed, for input methods, magnifiers and screen readers. */
export function CaretScreen({ children }: { readonly children: ReactNode }) {
  const carets = useMemo(() => new Carets(), []);
  // After those of the lines, at each drawing.
  useLayoutEffect(() => carets.measure());
  return (
    <CaretContext value={carets}>
      {children}
      <TerminalCursor carets={carets} />
    </CaretContext>
  );
}

function TerminalCursor({ carets }: { readonly carets: Carets }) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(useSyncExternalStore(carets.subscribe, carets.place));
  return null;
}

/** A line where text is typed. */
export function CaretLine(props: { readonly column: number; readonly children: ReactNode }) {
  const { column, children } = props;
  const carets = useContext(CaretContext);
  const box = useRef<DOMElement>(null);
  const line = useRef<TypedLine>(undefined);
  useLayoutEffect(() => {
    if (box.current === null) return;
    line.current = { box: box.current, column: 0 };
    return carets?.add(line.current);
  }, [carets]);
  useLayoutEffect(() => {
    if (line.current !== undefined) line.current.column = column;
  }, [column]);
  return <Box ref={box}>{children}</Box>;
}

const SHOW_CURSOR = '\x1b[?25h';

/** The stream for Ink, which shows the cursor where it places it: the screen has drawn one there, with the user's colours. */
export function withHiddenCursor(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (data: string | Uint8Array, ...rest: []) => {
    const isPlaced = typeof data === 'string' && data !== SHOW_CURSOR && data.endsWith(SHOW_CURSOR);
    return stdout.write(isPlaced ? data.slice(0, -SHOW_CURSOR.length) : data, ...rest);
  };
  return new Proxy(stdout, {
    get(stream, name) {
      const value: unknown = name === 'write' ? write : Reflect.get(stream, name);
      return typeof value === 'function' ? value.bind(stream) : value;
    },
  });
}
