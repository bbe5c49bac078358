/** A feature: the parts that each layer asks of it. */

import type { DefinitionPart } from '../definition/definition-part.ts'
import type { Model } from '../definition/model.ts'
import type { DocumentPages } from '../html/html.ts'
import type { Observer } from '../observation.ts'
import type { Command } from '../operation/command-frame/command.ts'
import type { FigureSources } from '../operation/status-sources.ts'
import type { Clock, ServiceContext } from '../requests/context/service-context.ts'
import type { RequestsPart } from '../requests/feature-code.ts'
import type { FileStore } from '../store/file-store.ts'
import type { FilesPlace } from '../store/files/open-file-store.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from '../work/background-task.ts'
import type { WorkPart } from '../work/erase-work.ts'
import type { CreateServiceOptions } from './service-options.ts'

/** The parts that every service has. */
export interface Feature {
  /** The name of its folder. */
  readonly name: string
  readonly definition?: DefinitionPart
  /** Its commands by name, each loaded on demand. */
  readonly commands?: Readonly<Record<string, () => Promise<Command>>>
  readonly figures?: FigureSources
  /** Starts the work that one process does for all. It evaluates no function of the definition. */
  readonly startSingleTasks?: (options: SingleTaskOptions) => Promise<readonly BackgroundTask[]>
  /** Whether a service needs its code; by default every service does. */
  isUsed?(model: Model): boolean
  /** Loads its code. */
  load?(): Promise<FeatureParts>
}

/** The parts that services load that use the feature. */
export interface FeatureParts {
  readonly requests?: RequestsPart
  readonly pages?: DocumentPages
  readonly work?: WorkPart
  /** Starts the work of each process. */
  readonly startTasks?: (
    service: ServiceContext,
    options: CreateServiceOptions,
  ) => Promise<readonly BackgroundTask[]>
}

export interface SingleTaskOptions {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly observe: Observer
  /** The place of files, or their store where it is open. */
  readonly files: FilesPlace | { readonly store: FileStore } | undefined
  /** Whether other processes have the tasks of each process. */
  readonly hasWorkers: boolean
}
