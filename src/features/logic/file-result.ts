/** The file that an action or a query returned, checked against its declaration. */

import { hash } from 'node:crypto'
import type { FileResult } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import { cleanFileName } from '../../store/files/file-name.ts'
import type { FileView } from '../../views/view.ts'

/** Throws a LogicFailure where it is no file, of another type, or too large. A Blob has the name of the operation. */
export async function parseFileResult(
  place: string,
  name: string,
  { types, max }: FileResult,
  returned: unknown,
): Promise<FileView> {
  if (!(returned instanceof Blob)) {
    throw new LogicFailure(place, `${place} must return a File or a Blob. Write: return new File(…).`)
  }
  const { type, size } = returned
  if (!types.includes(parseMediaType(type)?.essence ?? '')) {
    const expected = types.map((one) => `'${one}'`).join(' or ')
    throw new LogicFailure(place, `${place} returned a file of the type '${type}', not of ${expected}.`)
  }
  if (size > max) {
    const most = formatOctetSize(max)
    throw new LogicFailure(
      place,
      `${place} returned a file of ${size} octets, more than its 'max' of ${most}.`,
    )
  }
  const octets = new Uint8Array(await returned.arrayBuffer())
  const given = returned instanceof File ? returned.name : undefined
  return {
    kind: 'file',
    octets,
    type,
    name: cleanFileName(given, { field: name, type }),
    digest: hash('sha256', octets, 'base64'),
  }
}
