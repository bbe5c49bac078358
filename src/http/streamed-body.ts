/** Response bodies that are generated while they are sent. */

import type { Body } from './message.ts'

export type StreamedBody = AsyncIterable<string | Uint8Array>

export function isStreamed(body: Body | undefined): body is StreamedBody {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

/** Returns the same parts. `onEnd` is called when the body ends, fails or is discarded. */
export function withEndCallback(body: StreamedBody, onEnd: () => void): StreamedBody {
  return {
    [Symbol.asyncIterator]() {
      const parts = body[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const result = await parts.next()
            if (result.done) onEnd()
            return result
          } catch (error) {
            onEnd()
            throw error
          }
        },
        async return() {
          onEnd()
          await parts.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** Releases the resources of a body that will not be sent. */
export function discardBody(body: Body | undefined): void {
  if (isStreamed(body)) void body[Symbol.asyncIterator]().return?.()
}
