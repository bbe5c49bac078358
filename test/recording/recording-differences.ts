/** The first differences between a recording and a replay, for people. */

const mostExchanges = 5
const mostLines = 12

/** Returns the differences as text; empty: there are none. */
export function findDifferences(name: string, recorded: string, replayed: string): string {
  if (recorded === replayed) return ''
  const [before, after] = [exchangesIn(recorded), exchangesIn(replayed)]
  const differing = Array.from({ length: Math.max(before.length, after.length) }, (_, at) => at).filter(
    (at) => before[at] !== after[at],
  )
  const shown = differing
    .slice(0, mostExchanges)
    .map(
      (at) => `${name} ${title(before[at] ?? after[at])}\n${changedLines(before[at] ?? '', after[at] ?? '')}`,
    )
  return `${differing.length} of ${after.length} exchanges differ.\n\n${shown.join('\n\n')}`
}

function exchangesIn(text: string): readonly string[] {
  return text.split(/^(?=═══ )/m)
}

function title(exchange = ''): string {
  return exchange.split('\n', 1)[0]!
}

/** The lines between the common beginning and the common end. */
function changedLines(before: string, after: string): string {
  const [old, present] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && old[start] === present[start]) start++
  let [oldEnd, end] = [old.length, present.length]
  while (oldEnd > start && end > start && old[oldEnd - 1] === present[end - 1]) {
    oldEnd--
    end--
  }
  return [...cut(old.slice(start, oldEnd), '-'), ...cut(present.slice(start, end), '+')].join('\n')
}

function cut(lines: readonly string[], sign: string): readonly string[] {
  const shown = lines.slice(0, mostLines).map((line) => `${sign} ${line.slice(0, 400)}`)
  return lines.length > mostLines ? [...shown, `${sign} … ${lines.length - mostLines} more lines`] : shown
}
