/** The form of a document as an action. */

import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { unrestrictedInput } from './form-input.ts'
import type { Action } from './hypermedia-controls.ts'

/** The facts about a form that its controls show. */
export interface FormFacts {
  /** The text of its button. */
  readonly title: string
  /** The members of its content, as fields of a resource without table. The same object for the same model. */
  input(model: Model): ResourceModel
  /** By member: its purpose, by which browsers fill it in (HTML §4.10.18.7). */
  readonly autocomplete?: Readonly<Record<string, string>>
}

/**
 * The action at the target; the empty one is the URI of the document itself. `asked`: the optional members that are
 * needed now, by default any of them.
 */
export function formAction(
  model: Model,
  { title, input, autocomplete = {} }: FormFacts,
  target: string,
  asked?: readonly string[],
): Action {
  const isNeeded = ({ required, default: value }: FieldModel) => required && value === undefined
  const fields = input(model).fields.filter(
    (field) => isNeeded(field) || asked?.includes(field.name) !== false,
  )
  const inputs = fields.map((field) => ({
    ...unrestrictedInput,
    field,
    required: isNeeded(field) || asked !== undefined,
    value: field.default,
    autocomplete: autocomplete[field.name],
  }))
  const contentType = 'application/json'
  return { name: 'default', title, method: 'POST', target, contentType, inputs, isOfDocument: true }
}
