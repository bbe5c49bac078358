/** Jobs as clients and code see them. */

import type { Model, ResourceModel } from './model.ts'

/** The states of a job. The last three are its ends. */
export const jobStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

export type JobStatus = (typeof jobStatuses)[number]

/** Whether the job is in progress or will be. */
export function isUnfinished(status: unknown): boolean {
  return status === 'queued' || status === 'running'
}

/** The resource of jobs; undefined for a definition without background actions. */
export function jobsOf({ resources }: Pick<Model, 'resources'>): ResourceModel | undefined {
  return resources.values().find(({ traits }) => traits.job)
}

/**
 * A background action in progress, or its end. It is kept for seven days after it has ended.
 * @example
 * import type { Job } from 'restwell'
 *
 * const isRunning = ({ status }: Job) => status === 'queued' || status === 'running'
 */
export interface Job {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The collection and the name of the action, such as `tasks.import`. */
  readonly action: string
  readonly status: JobStatus
  /** From 0 to 1. */
  readonly progress: number
  readonly message?: string
  /** The URI of the item that the action made, or of its own item. */
  readonly result?: string
  /** The declared result of the action. */
  readonly output?: unknown
  /** Why it failed, in the form of RFC 9457. */
  readonly problem?: unknown
  readonly startedAt?: string
  readonly endedAt?: string
  /** The account that started it. */
  readonly creator?: string
}
