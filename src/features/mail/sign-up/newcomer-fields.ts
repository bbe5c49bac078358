/** The fields of an account that a person may set before it has the account. */

import { anonymous } from '../../../access/principal.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { AccountsModel, FieldModel } from '../../../definition/model.ts'

/** The fields that everyone may set, without the login and those of administrators. */
export function fieldsOfNewcomers({
  resource,
  login,
  roles,
  disabled,
}: AccountsModel): readonly FieldModel[] {
  const { writability } = rightsOf(resource, anonymous)
  const isOpen = (field: FieldModel) => !field.state && writability.get(field)?.kind === 'always'
  return resource.fields.filter((field) => ![login, roles, disabled].includes(field) && isOpen(field))
}
