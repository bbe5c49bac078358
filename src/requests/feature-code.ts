/** The code of features that performs requests. */

import type { TableTraits } from '../definition/built-in-table.ts'
import type { Model } from '../definition/model.ts'
import type { HttpResponse } from '../http/message.ts'
import type { FilesPlace } from '../store/files/open-file-store.ts'
import type { CollectionView, DocumentView, FileView } from '../views/view.ts'
import type { CoreRequest } from './context/core-request.ts'
import type { FileHandler } from './context/file-handler.ts'
import type { RequestContent } from './context/request-content.ts'
import type { RequestContext } from './context/request-context.ts'
import type { ServiceContext } from './context/service-context.ts'
import type { ServicePart } from './context/service-part.ts'
import type { ActionTarget, Document, FileTarget, StoredFileTarget } from './context/target.ts'
import type { CurrentState, FoundItem } from './read/current-state.ts'
import type { TableBehaviour, TableBehaviours } from './table-behaviour.ts'
import type { CodeTool } from './write/code-tool.ts'
import type { LogicRunner } from './write/logic-runner.ts'
import type { PlannedChange } from './write/planned-change.ts'

/** The code of one feature. */
export interface RequestsPart {
  readonly documents?: readonly Document[]
  /** Its documents for the definition, by their keys in the table of documents. */
  documentsOf?(model: Model): readonly (readonly [string, Document])[]
  /** The code of accounts. Of each method but `writesBeside`, one feature has it. */
  readonly accounts?: TableBehaviour
  /** The code of its built-in tables. */
  readonly tables?: readonly (readonly [TableTraits, TableBehaviour])[]
  /** POST to an action that the definition declares, with the parsed content. */
  readonly action?: PerformAction
  /** GET and QUERY of a query that the definition declares, with the members of its input. */
  readonly query?: PerformQuery
  /** A method on a file, or on a list of files. */
  readonly file?: PerformOnFile
  readonly parts?: readonly ServicePart<unknown>[]
  /** Opens the handler of files. */
  readonly openFiles?: OpenFiles
  /** Creates the runner of the code of the definition. */
  readonly createLogic?: CreateLogic
  /** Creates the tool that it adds to the code of the definition. One feature has it. */
  readonly createCodeTool?: CreateCodeTool
}

export type OpenFiles = (
  service: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'changes'>,
  place: FilesPlace | undefined,
) => Promise<FileHandler | undefined>

export type CreateLogic = (
  service: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'cursors' | 'observe' | 'files' | 'codeTool'>,
) => Promise<LogicRunner | undefined>

export type CreateCodeTool = (
  service: Pick<ServiceContext, 'model' | 'store' | 'clock'>,
) => Promise<CodeTool | undefined>

/** That of all features that a service uses. */
export interface FeatureCode
  extends Pick<RequestsPart, 'action' | 'query' | 'file' | 'openFiles' | 'createLogic' | 'createCodeTool'> {
  readonly tables: TableBehaviours
}

export type PerformAction = (
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  body: unknown,
) => Promise<PlannedChange>

/** Members, a file, or items. */
export type QueryView = DocumentView | FileView | CollectionView

/** Reads the store of the unit, which shows one moment. */
export type PerformQuery = (
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  input: unknown,
) => Promise<QueryView>

export type PerformOnFile = (
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: FoundItem,
  sent: SentFileContent,
) => Promise<HttpResponse>

export interface SentFileContent {
  readonly request: CoreRequest
  readonly content: RequestContent | undefined
}

export function joinFeatureCode(all: readonly RequestsPart[]): FeatureCode {
  const accounts = all.map((part) => part.accounts ?? {})
  return {
    ...Object.assign({}, ...all),
    tables: {
      accounts: { ...Object.assign({}, ...accounts), writesBeside: writesBesideOf(accounts) },
      builtIn: new Map(all.flatMap(({ tables = [] }) => tables)),
    },
  }
}

/** The writes of all of them. */
function writesBesideOf(accounts: readonly TableBehaviour[]): TableBehaviour['writesBeside'] {
  const all = accounts.flatMap(({ writesBeside }) => writesBeside ?? [])
  return async (...change) => (await Promise.all(all.map((write) => write(...change)))).flat()
}
