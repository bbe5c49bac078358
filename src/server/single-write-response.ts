/**
 * Sends a complete response, head and body, in one socket write. Node's own ServerResponse builds
 * and writes it in several steps, which costs more per request.
 */

import { ServerResponse } from '../tools/node-builtins.ts'

export class SingleWriteResponse extends ServerResponse {
  #sent = false
  #flushed = false
  /** Set by Node in `end`; its types only let it be read. */
  declare finished: boolean

  static {
    // Node's types declare these as properties, so a class cannot override them with accessors.
    Object.defineProperties(SingleWriteResponse.prototype, {
      headersSent: ownOrInherited('headersSent', (response) => response.#sent),
      writableEnded: ownOrInherited('writableEnded', (response) => response.#sent),
      writableFinished: ownOrInherited('writableFinished', (response) => response.#flushed),
    })
  }

  /** Whether all earlier responses on the connection have been sent. */
  get isNext(): boolean {
    return this.socket?.writable === true
  }

  /** Sends head and body. Requires `isNext`; the head ends with the empty line. */
  sendComplete(status: number, head: string, body: string | Uint8Array | undefined): void {
    const socket = this.socket!
    this.statusCode = status
    this.#sent = true
    if (body === undefined) socket.write(head, 'latin1')
    else if (isAscii(body)) socket.write(head + body, 'latin1')
    else {
      // Two encodings, but one system call.
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    if (socket.writableLength === 0 && socket.writable) {
      this.#finish()
      return
    }
    // The callback of an empty write runs when the system has taken everything before it.
    socket.write('', (error) => {
      if (!error) this.#finish()
    })
  }

  /** Closes the connection after this response has been sent. */
  closeConnectionWhenSent(): void {
    const socket = this.socket!
    this.once('finish', () => socket.destroySoon())
  }

  /** Node's server continues on `finish`: with the next response, or with the idle timeout. */
  #finish(): void {
    // Not earlier: a stopping server closes connections whose response is finished.
    this.finished = true
    this.#flushed = true
    this.emit('finish')
  }
}

function ownOrInherited(name: string, own: (response: SingleWriteResponse) => boolean): PropertyDescriptor {
  return {
    get(this: SingleWriteResponse) {
      return own(this) || Reflect.get(ServerResponse.prototype, name, this)
    },
  }
}

/** ASCII is the same in Latin-1 and UTF-8. */
function isAscii(body: string | Uint8Array): body is string {
  return typeof body === 'string' && Buffer.byteLength(body) === body.length
}
