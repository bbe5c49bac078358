/** The code of a definition that runs when items are written, checked. */

import type { Cron } from './cron.ts'

export interface LogicModel {
  readonly checks: readonly RecordCheckModel[]
  /** The code that runs before the commit of each kind of write. */
  readonly before: Readonly<Partial<Record<BeforeHookName, HookModel>>>
  /** The code that runs after the commit of each kind of change. */
  readonly after: Readonly<Partial<Record<AfterHookName, HookModel>>>
  /** The code that runs at certain times, by name. */
  readonly schedules: Readonly<Record<string, ScheduleModel>>
}

/** Code that runs at certain times. */
export interface ScheduleModel {
  readonly cron: Cron
  /** The expression as it was given. */
  readonly text: string
  readonly run: (tools: unknown) => unknown
}

export type BeforeHookName = 'create' | 'update' | 'delete'
export type AfterHookName = 'created' | 'updated' | 'deleted'

export type HookModel = (record: unknown, tools: unknown) => unknown

/** A condition on a record to be stored, evaluated by code of the definition. */
export interface RecordCheckModel {
  /** The field that the fault points to. */
  readonly field: string
  readonly message: string
  /** Must return true or false; users may write plain JavaScript. */
  readonly test: (record: unknown) => unknown
}
