const HTML =
  /^[\t\n\f\r ]*<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]|!--)/i;

/** Beginnings of files, as latin1 text, in the order in which the WHATWG's MIME sniffing looks for them. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [HTML, 'text/html; charset=utf-8'],
  [/^[\t\n\f\r ]*<\?xml/, 'text/xml; charset=utf-8'],
  [/^%PDF-/, 'application/pdf'],
  [/^%!PS-Adobe-/, 'application/postscript'],
  [/^\xfe\xff../s, 'text/plain; charset=utf-16be'],
  [/^\xff\xfe../s, 'text/plain; charset=utf-16le'],
  [/^\xef\xbb\xbf./s, 'text/plain; charset=utf-8'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^\0\0\x02\0/, 'image/x-icon'],
  [/^BM/, 'image/bmp'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF....WEBPVP/s, 'image/webp'],
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^FORM....AIFF/s, 'audio/aiff'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS\0/, 'application/ogg'],
  [/^MThd\0\0\0\x06/, 'audio/midi'],
  [/^RIFF....AVI /s, 'video/avi'],
  [/^RIFF....WAVE/s, 'audio/wave'],
  [/^....ftyp(?:mp4|....(?:....)*?mp4)/s, 'video/mp4'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^.{34}LP/s, 'application/vnd.ms-fontobject'],
  [/^\0\x01\0\0/, 'font/ttf'],
  [/^OTTO/, 'font/otf'],
  [/^ttcf/, 'font/collection'],
  [/^wOFF/, 'font/woff'],
  [/^wOF2/, 'font/woff2'],
  [/^\x1f\x8b\x08/, 'application/x-gzip'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^Rar!\x1a\x07(?:\0|\x01\0)/, 'application/x-rar-compressed'],
  [/^\0asm/, 'application/wasm'],
];
/** A text that begins like this is none of them. */
const PLAIN = /^(?!BM|GIF|RIFF|FORM|ID3|OggS|MThd|OTTO|ttcf|wOF|PK|Rar!|....ftyp|.{34}LP)[A-Za-z]/s;
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** The type of a body that has none, guessed from its first 512 bytes as Go does. */
export function sniffContentType(body: Buffer): string {
  const start = body.toString('latin1', 0, 512);
  const found = PLAIN.test(start)
    ? undefined
    : BEGINNINGS.find(([beginning]) => beginning.test(start));
  if (found !== undefined) return found[1];
  return BINARY.test(start) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}
