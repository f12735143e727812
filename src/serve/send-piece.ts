import type { ServerResponse } from 'node:http';
import { releaseBuffer } from '../core/buffers.ts';

/** Writes a piece of a body and returns its buffer when it was sent. Rejects if the connection broke. */
export function sendPiece(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const broke = () => reject(new Error('the connection was closed'));
    if (response.destroyed) return broke();
    response.once('close', broke);
    response.write(piece, (error) => {
      response.off('close', broke);
      releaseBuffer(piece);
      if (error) reject(error);
      else resolve();
    });
  });
}
