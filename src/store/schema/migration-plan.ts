/**
 * A migration plan: the steps from the present tables to those that a definition needs. A start
 * takes the steps that nodes with the former definition do not notice; other steps need
 * `restwell migrate --apply`, and a loss of data needs `--allow-loss`. See decision 0021.
 */

import type { Observer } from '../../observation.ts'

export interface MigrationStep {
  /** Its description, such as `add column books.pages`. */
  readonly line: string
  readonly effect: Effect
  /** Why the step cannot be taken, with the rows that prevent it; undefined where it can. */
  readonly obstacle: string | undefined
  /** The data that would be lost; undefined where none would. */
  readonly loss: string | undefined
  /** Which clients wait for the step, and how long; undefined where none do. */
  readonly lock: string | undefined
  /** How many rows it reads or writes, as an estimate of its time. */
  readonly rows: number
  readonly sql: readonly string[]
}

/**
 * - `adds`: nodes with the former definition continue to work. A start takes it.
 * - `changes`: they would fail. A start is refused until the step is taken.
 * - `drops`: it removes what the definition no longer has. A start keeps that.
 */
export type Effect = 'adds' | 'changes' | 'drops'

/** Which steps are allowed: those of a start, all without loss, or all. */
export type PlanExtent = 'start' | 'safe' | 'all'

/** Whether a migration of that extent can take its steps. */
export function canApply(steps: readonly MigrationStep[], extent: PlanExtent): boolean {
  return steps.every(({ effect, obstacle, loss }) => {
    if (extent === 'start') return effect === 'drops' || (effect === 'adds' && !obstacle && !loss)
    return obstacle === undefined && (extent === 'all' || loss === undefined)
  })
}

/** The steps that a migration of that extent takes. */
export function stepsToTake<Of extends MigrationStep>(
  steps: readonly Of[],
  extent: PlanExtent,
): readonly Of[] {
  return extent === 'start' ? steps.filter(({ effect }) => effect === 'adds') : steps
}

/** Whether the steps only drop empty objects, so that a copy of the definition's tables is complete. */
export function hasOnlyEmptyDrops(steps: readonly MigrationStep[]): boolean {
  return steps.every(({ effect, loss }) => effect === 'drops' && loss === undefined)
}

/** One line for each step: whether it can be taken, what it does, what it costs. */
export function formatPlan(steps: readonly MigrationStep[]): string {
  return steps.map(formatStep).join('\n')
}

function formatStep({ line, effect, obstacle, loss, lock, rows }: MigrationStep): string {
  if (obstacle !== undefined) return `  cannot ${line}: ${obstacle}`
  const verdict = loss !== undefined ? 'loses ' : effect === 'adds' ? 'can   ' : 'apply '
  return `  ${verdict} ${line}${costOf(rows, lock)}${lossOf(loss)}`
}

function costOf(rows: number, lock?: string): string {
  const touched = rows === 0 ? [] : [`${rows} ${rows === 1 ? 'row' : 'rows'}`]
  const costs = [...touched, ...(lock === undefined ? [] : [lock])]
  return costs.length === 0 ? '' : ` (${costs.join('; ')})`
}

function lossOf(loss: string | undefined): string {
  return loss === undefined ? '' : `: ${loss}`
}

/** One line for each step that was taken: `add column books.year (3 rows)`. */
export function formatTakenSteps(steps: readonly MigrationStep[]): string {
  return steps.map(({ line, loss, rows }) => `  ${line}${costOf(rows)}${lossOf(loss)}`).join('\n')
}

/** How many rows a message names. */
export const maxNamedRows = 5

/** How many rows have something, with the first of them: `3 rows have (id1, id2, id3)`. */
export function formatRows(count: number, identities: readonly string[]): string {
  const names = identities.slice(0, maxNamedRows).join(', ')
  const more = count > maxNamedRows ? ', …' : ''
  return `${count === 1 ? '1 row has' : `${count} rows have`} (${names}${more})`
}

/** The explanation for an operator whose database does not fit. */
export function formatRefusal(database: string, steps: readonly MigrationStep[]): string {
  const head = `${database} does not fit the definition, and nothing was changed. The plan:`
  return [head, formatPlan(steps), remedyOf(steps)].join('\n')
}

function remedyOf(steps: readonly MigrationStep[]): string {
  if (steps.some(({ obstacle }) => obstacle !== undefined)) {
    return 'Change the definition back, give a default, mend the rows, or name another database.'
  }
  const loss = steps.some((step) => step.loss !== undefined)
  const command = `npx restwell migrate --apply${loss ? ' --allow-loss' : ''}`
  return `Change the definition back, or take these steps by \`${command}\`. Nodes that serve the former definition may fail from then on.`
}

/** Present objects that a migration did not touch. */
export interface KeptObjects {
  /** Made by another program, such as `table mine` or `index my_i on articles`. */
  readonly foreign: readonly string[]
  /** Made for an earlier definition, and not in the present one. */
  readonly unused: readonly string[]
}

/** Reports the kept objects of a start, where there are any. */
export function observeKeptObjects(observe: Observer, { foreign, unused }: KeptObjects): void {
  if (foreign.length + unused.length > 0) observe({ kind: 'objects-kept', foreign, unused })
}
