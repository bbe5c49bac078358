/** The input of a form with fields of an account, such as its password. */

import { createInputModel } from '../../definition/input-model.ts'
import type { AccountsModel, FieldModel, ResourceModel } from '../../definition/model.ts'

/** The password has the name `password`, whatever that of its field is, and the label. It is required. */
export function accountInput(
  name: string,
  { resource, password }: AccountsModel,
  { fields, label }: { readonly fields: readonly FieldModel[]; readonly label?: string },
): ResourceModel {
  const asked = { ...password, name: 'password', required: true, label: label ?? password.label }
  const named = fields.map((field) => (field === password ? asked : field))
  return createInputModel(name, named, ({ password: sent, ...others }) => {
    const values = sent === undefined ? others : { ...others, [password.name]: sent }
    const faults = resource.validate(values)
    return faults.map((fault) =>
      fault.pointer === `/${password.name}` ? { ...fault, pointer: '/password' } : fault,
    )
  })
}
