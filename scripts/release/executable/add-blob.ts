import { AT, HEADER_SIZE, type ProgramHeader, PT, readHeaders, writeHeaders } from './elf-file.ts';

/** The note that Node looks for in itself, and the mark that tells it to look (Node's "single executable" docs). */
const NOTE_NAME = 'NODE_SEA_BLOB\0';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';

/** Pages of every machine start at multiples of this. */
const PAGE = 0x10000;

const READ = 4;

/**
 * Makes a single executable of Node's: its segments stay byte for byte, what is not loaded (symbols, debug
 * information) is cut off, and one segment is added at the end with the program headers and a note that holds the blob.
 * Its address follows from its place in the file as that of the first segment does: older kernels take this for granted
 * when they tell a program where its headers are.
 */
export function addBlob(node: Buffer, blob: Buffer): Buffer {
  const headers = readHeaders(node);
  const loads = headers.filter(({ type }) => type === PT.LOAD);
  const base = Math.min(...loads.map(({ address, offset }) => address - offset));
  const fileEnd = Math.max(...loads.map(({ offset, fileSize }) => offset + fileSize));
  const memoryEnd = Math.max(...loads.map(({ address, memorySize }) => address + memorySize));
  const start = roundUp(Math.max(fileEnd, memoryEnd - base), PAGE);

  const tableSize = (headers.length + 2) * HEADER_SIZE;
  const noteAt = roundUp(tableSize, 16);
  const note = noteOf(blob);
  const segment = (type: number, offset: number, size: number, align: number): ProgramHeader => ({
    type,
    flags: READ,
    offset,
    address: base + offset,
    fileSize: size,
    memorySize: size,
    align,
  });
  const lastLoad = headers.findLastIndex(({ type }) => type === PT.LOAD);
  const table = headers
    .map((header) => (header.type === PT.PHDR ? segment(PT.PHDR, start, tableSize, 8) : header))
    .toSpliced(lastLoad + 1, 0, segment(PT.LOAD, start, noteAt + note.length, PAGE))
    .concat(segment(PT.NOTE, start + noteAt, note.length, 4));

  const file = Buffer.alloc(start + noteAt + note.length);
  node.copy(file, 0, 0, fileEnd);
  lightFuse(file);
  file.writeBigUInt64LE(BigInt(start), AT.headers);
  file.writeUInt16LE(table.length, AT.headerCount);
  file.writeBigUInt64LE(0n, AT.sections);
  file.fill(0, AT.sectionSizes + 2, AT.sectionSizes + 6);
  writeHeaders(table).copy(file, start);
  note.copy(file, start + noteAt);
  return file;
}

/** A note with the blob (System V ABI, "Note Section"). */
function noteOf(blob: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(NOTE_NAME.length, 0);
  head.writeUInt32LE(blob.length, 4);
  const name = Buffer.alloc(roundUp(NOTE_NAME.length, 4));
  name.write(NOTE_NAME, 'latin1');
  return Buffer.concat([head, name, blob, Buffer.alloc(-blob.length & 3)]);
}

function lightFuse(file: Buffer): void {
  const at = file.indexOf(`${FUSE}0`);
  if (at < 0 || file.indexOf(`${FUSE}0`, at + 1) >= 0)
    throw new Error('not a Node that takes a blob');
  file.write('1', at + FUSE.length, 'latin1');
}

const roundUp = (value: number, step: number) => Math.ceil(value / step) * step;
