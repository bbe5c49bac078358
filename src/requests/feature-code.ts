/** The code of features that perform operations of requests. */

import type { HttpResponse } from '../http/message.ts'
import type { CoreRequest } from './context/core-request.ts'
import type { RequestContent } from './context/request-content.ts'
import type { RequestContext } from './context/request-context.ts'
import type { ActionTarget, FileTarget } from './context/target.ts'
import type { CurrentState, FoundItem } from './read/current-state.ts'
import type { TableBehaviours } from './table-behaviour.ts'
import type { PlannedChange } from './write/planned-change.ts'

export interface FeatureCode {
  readonly tables: TableBehaviours
  /** POST to an action that the definition declares, with the parsed content. Undefined: no definition has actions. */
  readonly action?: PerformAction
  /** A method on a file, or on a list of files. Undefined: no definition has fields for files. */
  readonly file?: PerformOnFile
}

export type PerformAction = (
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  body: unknown,
) => Promise<PlannedChange>

export type PerformOnFile = (
  context: RequestContext<FileTarget>,
  current: FoundItem,
  sent: SentFileContent,
) => Promise<HttpResponse>

export interface SentFileContent {
  readonly request: CoreRequest
  readonly content: RequestContent | undefined
}
