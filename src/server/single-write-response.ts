/**
 * A response that can be written to its connection at once: head and body in one piece, without
 * the stages that Node has for responses that come in parts (docs/decisions/0038).
 */

import { ServerResponse } from '../tools/node-builtins.ts'

export class SingleWriteResponse extends ServerResponse {
  #sent = false
  #flushed = false
  /** Set by Node in `end`; its types only let it be read. */
  declare finished: boolean

  static {
    // Node's types have these as plain properties, which no accessor in a class may stand for.
    Object.defineProperties(SingleWriteResponse.prototype, {
      headersSent: ownOrInherited('headersSent', (response) => response.#sent),
      writableEnded: ownOrInherited('writableEnded', (response) => response.#sent),
      writableFinished: ownOrInherited('writableFinished', (response) => response.#flushed),
    })
  }

  /** Whether the connection is its own by now, all responses before it having been sent. */
  get isNext(): boolean {
    return this.socket?.writable === true
  }

  /** Sends it all; for the response that is next. The head ends with its empty line. */
  sendComplete(status: number, head: string, body: string | Uint8Array | undefined): void {
    const socket = this.socket!
    this.statusCode = status
    this.#sent = true
    if (body === undefined) socket.write(head, 'latin1')
    else if (isAscii(body)) socket.write(head + body, 'latin1')
    else {
      // Two encodings, and still one write of the system.
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    if (socket.writableLength === 0 && socket.writable) {
      this.#finish()
      return
    }
    // The system has not taken all yet: nothing, written after it, tells when it has.
    socket.write('', (error) => {
      if (!error) this.#finish()
    })
  }

  /** Once this response has been sent. */
  closeConnectionWhenSent(): void {
    const socket = this.socket!
    this.once('finish', () => socket.destroySoon())
  }

  /** Node's server waits for `finish` to go on: with the next response, or with the idle clock. */
  #finish(): void {
    // Not before: where a server stops, Node cuts connections whose response it takes for finished.
    this.finished = true
    this.#flushed = true
    this.emit('finish')
  }
}

function ownOrInherited(
  name: string,
  own: (response: SingleWriteResponse) => boolean,
): PropertyDescriptor {
  return {
    get(this: SingleWriteResponse) {
      return own(this) || Reflect.get(ServerResponse.prototype, name, this)
    },
  }
}

/** As many octets as characters: the same in either encoding. */
function isAscii(body: string | Uint8Array): body is string {
  return typeof body === 'string' && Buffer.byteLength(body) === body.length
}
