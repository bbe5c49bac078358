/** Shows the progress of a long command: a bar on a terminal, otherwise a line now and then. */

export interface Progress {
  /** Rows that are done. */
  readonly rows: number
  /** The part of the whole that is done, from 0 to 1. */
  readonly share: number
  /** The part that an earlier run had done. */
  readonly earlier?: number
}

export interface ProgressDisplay {
  show(progress: Progress): void
  /** Removes the bar. */
  end(): void
}

/** A stream such as `process.stderr`. */
export interface DisplayStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Milliseconds between two updates. */
const intervals = { bar: 100, lines: 2000 }

/** `verb` is such as `Imported`. The clock is in milliseconds. */
export function createProgressDisplay(
  verb: string,
  stream: DisplayStream = process.stderr,
  clock: () => number = () => performance.now(),
): ProgressDisplay {
  const kind = stream.isTTY ? 'bar' : 'lines'
  const began = clock()
  let shownAt = began
  let isShown = false
  return {
    show(progress) {
      const now = clock()
      if (now - shownAt < intervals[kind]) return
      shownAt = now
      isShown = true
      const text = formatProgress(verb, progress, now - began)
      stream.write(kind === 'lines' ? `${text}\n` : `\r\x1b[K${withBar(text, progress, stream)}`)
    },
    end() {
      if (isShown && kind === 'bar') stream.write('\r\x1b[K')
    },
  }
}

/** Such as `Imported 12000 rows, 8000 rows/s, 0:42 left`. */
export function formatProgress(
  verb: string,
  { rows, share, earlier = 0 }: Progress,
  milliseconds: number,
): string {
  const rate = formatRate(rows, milliseconds)
  const done = share - earlier
  const left = done > 0 ? `, ${formatDuration((milliseconds * (1 - share)) / done)} left` : ''
  return `${verb} ${formatRows(rows)}, ${rate}${left}`
}

export function formatRows(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`
}

export function formatRate(rows: number, milliseconds: number): string {
  return `${Math.round((rows * 1000) / Math.max(milliseconds, 1))} rows/s`
}

/** Minutes and seconds. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const maxBarWidth = 30

/** The bar takes the room that the text leaves on the line. */
function withBar(text: string, { share }: Progress, { columns = 80 }: DisplayStream): string {
  const width = Math.min(maxBarWidth, columns - text.length - 10)
  if (width < 5) return text.slice(0, columns - 1)
  const filled = Math.round(width * Math.min(share, 1))
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent} ${text}`
}
