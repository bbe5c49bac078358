/** The content of an HTML page: a view of the service, or a refusal with what the person sent. */

import type { FieldModel, ResourceModel } from '../definition/model.ts'
import type { QueryPair } from '../http/query-string.ts'
import type { Action } from '../views/hypermedia-controls.ts'
import type { DocumentView, ItemView, ProblemView, View } from '../views/view.ts'
import type { ImportColumn, ImportFault } from './forms/import-view.ts'

export type PageView = Exclude<View, ProblemView> | RefusedView

/** A problem, with the form that the person can send again. */
export interface RefusedView extends ProblemView {
  /** The refused form, if the content came from one. */
  readonly form?: RefusedForm
  /** The refused file, if the content was a form that imports one. */
  readonly refusedImport?: RefusedImport
  readonly unsent?: UnsentForm
  /** The values of an edit whose item is gone. */
  readonly lost?: readonly QueryPair[]
}

/** A refused form that imports a file, to show again. */
export interface RefusedImport {
  readonly resource: ResourceModel
  /** The columns that the file may have. */
  readonly columns: readonly ImportColumn[]
  /** None where the file as a whole is refused. */
  readonly faults: readonly ImportFault[]
}

/** A form of a person whose session has ended: it can be sent again after signing in. */
export interface UnsentForm {
  /** Where it was sent. */
  readonly target: string
  /** Its values, without passwords. */
  readonly pairs: readonly QueryPair[]
  readonly hadPasswords: boolean
}

/** A refused form, to show again with the values that were sent. */
export interface RefusedForm {
  readonly kind: 'create' | 'edit' | 'transition' | 'delete' | 'action'
  readonly resource: ResourceModel
  /** The text of its button: `Close`. */
  readonly title: string
  /** The document that it is the form of; undefined: that of an item or a collection. */
  readonly document?: DocumentView
  /** Undefined if the caller can no longer do it. */
  readonly action: Action | undefined
  /** The values as sent, without secrets and unchanged values. */
  readonly sent: readonly QueryPair[]
  /** The fields of an edit that another request changed too, to other values. */
  readonly conflicts: readonly FieldModel[]
  /** The current item; undefined if the form is for a collection. */
  readonly item: ItemView | undefined
}
