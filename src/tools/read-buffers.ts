/**
 * Buffers for large reads, used again once their octets are sent. Fresh ones for each read would make the garbage
 * collector run every few dozen megabytes, which costs more than reading them.
 */

/** Octets of a buffer: large, because each read costs a turn of the thread pool. */
const bufferSize = 524_288
/** Smaller buffers are not kept. */
const minSize = 65_536
/** Released buffers that are kept. */
const maxFree = 32

const free: ArrayBuffer[] = []
/** The memory of buffers that were taken and not released. */
const taken = new WeakSet<ArrayBufferLike>()

/** Returns a buffer of at most so many octets. One that is never released is collected as garbage. */
export function takeReadBuffer(size: number): Buffer {
  if (size < minSize) return Buffer.allocUnsafeSlow(size)
  const memory = free.pop() ?? new ArrayBuffer(bufferSize)
  taken.add(memory)
  return Buffer.from(memory, 0, Math.min(size, bufferSize))
}

/** Makes the memory of the octets free again, if a read took it. Nothing may use the octets any more. */
export function releaseReadBuffer({ buffer }: Uint8Array): void {
  if (taken.delete(buffer) && free.length < maxFree) free.push(buffer as ArrayBuffer)
}
