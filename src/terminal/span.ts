/** What a text means; the look decides which colour that is. */
export type Tone =
  | 'plain'
  | 'dim'
  | 'accent'
  /** The name of a key, and the line of headings over columns. */
  | 'key'
  | 'heading'
  /** The sign of a marked entry. */
  | 'marked'
  | 'good'
  | 'warn'
  | 'bad'
  | 'title'
  /** A question of the wizard, or what a pane or a box is about. */
  | 'section'
  | 'dir'
  | 'bar'
  | 'bar-old'
  | 'bar-upload'
  | 'track'
  /** Files, by what they are. */
  | 'images'
  | 'video'
  | 'audio'
  | 'documents'
  | 'archives'
  | 'code'
  /** The place where a text is typed, or the line of a box with the cursor: inverse. */
  | 'cursor';

/** A piece of a line that is drawn in one way. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  readonly bold?: boolean;
  /** Text is typed there: the terminal's own cursor stands on it, for input methods and magnifiers. */
  readonly isCaret?: true;
}

export type Line = readonly Span[];

export interface FrameLine {
  readonly line: Line;
  /** The cursor is on it. */
  readonly selected?: boolean;
  /** The place in a list that keys move on by one; a click goes there. */
  readonly at?: number;
}

/** The column where text is typed in a line; `undefined` if it is none for text. */
export function caretColumn(line: Line, widthOf: (text: string) => number): number | undefined {
  const at = line.findIndex(({ isCaret }) => isCaret === true);
  if (at < 0) return undefined;
  return line.slice(0, at).reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** A span in a few letters. */
export function span(text: string, tone: Tone = 'plain', bold = false): Span {
  return { text, tone, bold };
}
