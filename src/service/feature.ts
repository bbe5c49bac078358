/** A feature: the parts that each layer asks of it. */

import type { DefinitionPart } from '../definition/definition-part.ts'
import type { RecordCheckModel } from '../definition/logic/logic-model.ts'
import type { JsonValue, Model, ResourceModel, Stored } from '../definition/model.ts'
import type { DocumentPages } from '../html/html.ts'
import type { Observer } from '../observation.ts'
import type { Command } from '../operation/command-frame/command.ts'
import type { FigureSources } from '../operation/status-sources.ts'
import type { ContentFault } from '../refusal.ts'
import type { ProgramCaller } from '../requests/context/described-caller.ts'
import type { FileHandler } from '../requests/context/file-handler.ts'
import type { Clock, ServiceContext } from '../requests/context/service-context.ts'
import type { CreateLogic, RequestsPart } from '../requests/feature-code.ts'
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
  /** The code of the definition outside of requests. */
  readonly scripts?: ScriptPart
  /** Opens an import of files; the place is undefined where records may not have any. */
  readonly openFileImport?: (place: ImportedFiles | undefined) => Promise<FileImport>
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

export interface ScriptPart {
  /** The tools of a program that acts for a caller; `Access` has their types. */
  createAccess(service: ServiceContext, program: ProgramCaller): object
  createRunner: CreateLogic
  /** The checks of the definition that a row with these values fails. */
  findFailedChecks(
    service: Pick<ServiceContext, 'store' | 'clock'>,
    resource: ResourceModel,
    values: readonly Stored[],
  ): Promise<readonly RecordCheckModel[]>
}

export interface ImportedFiles {
  readonly store: FileStore
  /** The path of the folder that has the files. */
  readonly folder: string
}

export interface FileImport {
  /** Stores the files of a record, one after the other; their members then stand for the stored content. */
  storeFiles(resource: ResourceModel, members: Map<string, JsonValue>, faults: ContentFault[]): Promise<void>
  /** The columns of files whose members `storeFiles` has replaced, at a time in milliseconds. */
  columnsAt(now: number): Pick<FileHandler, 'encodeNamedFiles'>
}
