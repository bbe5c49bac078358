/** The rows of a result, which formats with tables show. */

import type { FieldModel, ResourceModel, ResultModel } from './model.ts'

/** The only list of objects among the members; undefined where there is none, or several. */
export function findRowsField({ fields }: ResourceModel): FieldModel | undefined {
  const [rows, another] = fields.filter(({ members }) => members !== undefined)
  return another ? undefined : rows
}

/** Whether the result has such rows. */
export function hasRows(result: ResultModel | undefined): boolean {
  return result?.kind === 'members' && findRowsField(result.members) !== undefined
}
