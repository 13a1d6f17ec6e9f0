/** One HTTP/2 CONNECT stream as a plain duplex of bytes, fit to carry a TLS connection (RFC 9113 section 8.5). */
import { constants, type Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';

/** How long the other side has to finish what was given up here, before it is reset. */
const GRACE_MS = 5000;
const { NGHTTP2_CANCEL, NGHTTP2_CONNECT_ERROR } = constants;

/** The stream, or the tunnel under it, is gone without an orderly end. */
export class StreamLost extends Error {
  override name = 'StreamLost';
  readonly code = 'ECONNRESET';
}

export class MuxSocket extends Duplex {
  readonly #stream: Http2Stream & Duplex;
  /** The other side has said that it is done. */
  #ended = false;

  constructor(stream: Http2Stream & Duplex) {
    super({ allowHalfOpen: true });
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    // A lost tunnel shows as an end too: only one without an error code is the other side's.
    stream.on('end', () => {
      if (stream.rstCode === 0 && !stream.aborted) {
        this.#ended = true;
        this.push(null);
      } else this.destroy(new StreamLost(`reset (${stream.rstCode})`));
    });
    stream.on('error', (error) => this.destroy(new StreamLost(error.message)));
    stream.on('aborted', () => this.destroy(new StreamLost('aborted')));
    // Both sides are done, and what came last may still wait here for a slow reader: that is no loss.
    stream.on('close', () => {
      if (!this.#ended || !this.#given()) this.destroy(new StreamLost('closed'));
    });
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) {
      done(new StreamLost('closed'));
      return;
    }
    if (stream.write(chunk)) {
      done();
      return;
    }
    const go = () => {
      stream.off('drain', go);
      stream.off('close', go);
      done(stream.destroyed ? new StreamLost('closed') : null);
    };
    stream.on('drain', go);
    stream.on('close', go);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#stream.destroyed || this.#stream.closed) done();
    else this.#stream.end(() => done(this.#given() ? null : new StreamLost('closed')));
  }

  /** Our own end is among what the stream has sent: one that closes in order may do so before it says that it has finished. */
  #given(): boolean {
    const { writableEnded, aborted, rstCode = 0 } = this.#stream;
    return writableEnded && !aborted && rstCode === 0;
  }

  /**
   * Given up here: the other side sees an end, and a reset only if it does not finish. A burst of resets would look like
   * an attack to it and cost the whole tunnel (the rapid-reset limit of HTTP/2 stacks).
   */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const stream = this.#stream;
    if (!stream.destroyed && !stream.closed) {
      stream.removeAllListeners('data');
      stream.resume();
      if (!stream.writableEnded) stream.end();
      const timer = setTimeout(() => {
        if (!stream.closed) stream.close(error === null ? NGHTTP2_CANCEL : NGHTTP2_CONNECT_ERROR);
      }, GRACE_MS);
      timer.unref();
      stream.once('close', () => clearTimeout(timer));
    }
    done(error);
  }
}
