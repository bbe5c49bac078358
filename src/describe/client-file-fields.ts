/** The fields for files in the types of a client. */

import { isFileList } from '../definition/file-fields.ts'
import type { FieldModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { fileFields } from './places.ts'

/** The members of a shape that name the files and the lists of files; none where the audience sees none. */
export function fileNameMembers(
  part: AudienceResource,
): readonly (readonly [member: string, type: string])[] {
  const fields = fileFields(part)
  const single = fields.filter((field) => !isFileList(field))
  const lists = fields.filter(isFileList)
  return [...nameMember('files', single), ...nameMember('fileLists', lists)]
}

function nameMember(member: string, fields: readonly FieldModel[]) {
  return fields.length === 0 ? [] : [[member, fields.map(({ name }) => `'${name}'`).join(' | ')] as const]
}
