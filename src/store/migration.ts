/**
 * A plan: what it takes to turn the tables that are there into those a definition wants. Each step
 * is one line an operator can read. What is safe is done when a service starts; what loses data
 * only when an operator says so; what the data does not allow not at all.
 */

export interface Step {
  /** What it does, such as `add column books.pages`. */
  readonly line: string
  /** Why it cannot be taken, naming rows where some stand in the way; undefined where it can. */
  readonly obstacle: string | undefined
  /** What would be out of reach afterwards; undefined where nothing is. */
  readonly loss: string | undefined
  /** Who has to wait for it, and how long; undefined where nobody does. */
  readonly lock: string | undefined
  /** How many rows it reads or writes, so that its time can be guessed. */
  readonly rows: number
  readonly sql: readonly string[]
}

/** How far a migration may go. */
export type Extent = 'safe' | 'all'

/** Whether every step may be taken. */
export function isOpen(steps: readonly Step[], extent: Extent): boolean {
  return steps.every(({ obstacle, loss }) => {
    return obstacle === undefined && (extent === 'all' || loss === undefined)
  })
}

/** One line for each step: whether it can be taken, what it does, what it costs. */
export function formatPlan(steps: readonly Step[]): string {
  return steps.map(formatStep).join('\n')
}

function formatStep({ line, obstacle, loss, lock, rows }: Step): string {
  if (obstacle !== undefined) return `  cannot ${line}: ${obstacle}`
  const touched = rows === 0 ? [] : [`${rows} ${rows === 1 ? 'row' : 'rows'}`]
  const costs = [...touched, ...(lock === undefined ? [] : [lock])]
  const cost = costs.length === 0 ? '' : ` (${costs.join('; ')})`
  if (loss !== undefined) return `  loses  ${line}${cost}: ${loss}`
  return `  can    ${line}${cost}`
}

/** What an operator is told whose database does not fit. */
export function refusalText(database: string, steps: readonly Step[]): string {
  const head = `${database} does not fit the definition, and nothing was changed. The plan:`
  const remedy = steps.some(({ obstacle }) => obstacle !== undefined)
    ? 'Change the definition back, give a default, mend the rows, or name another database.'
    : 'Change the definition back, or take these steps by `restwell migrate --apply --allow-loss`.'
  return [head, formatPlan(steps), remedy].join('\n')
}
