/** The built-in tables of resumable uploads: those that are not complete, and the parts that have arrived. */

import type { BuiltInTable } from '../../definition/built-in-table.ts'
import { boolean } from '../../definition/kinds/boolean.ts'
import { integer } from '../../definition/kinds/number.ts'
import { text } from '../../definition/kinds/text.ts'
import { timestamp } from '../../definition/kinds/time.ts'
import { type Resource, resource } from '../../definition/resource.ts'

/** No collection can have these names, and the tables have no URI. */
export const uploadsName = 'file_uploads'
export const uploadPartsName = 'file_upload_parts'

export const uploadsTable = {
  name: uploadsName,
  internal: true,
  unlogged: true,
  // Their rows are deleted later, with their parts.
  held: { account: 'holder', isDigest: true, loss: 'expiry' },
  keptFor: { field: 'expiresAt', seconds: 0, parts: { table: uploadPartsName, field: 'upload' } },
} as const satisfies BuiltInTable

export const uploadPartsTable = {
  name: uploadPartsName,
  internal: true,
  unlogged: true,
} as const satisfies BuiltInTable

/** Returns the table of uploads. features/files/uploads/upload-rows.ts reads and writes its rows. */
export function createUploadsResource(): Resource {
  return resource(
    {
      /** Who may continue it, as a digest. */
      uploader: text({ max: 64 }),
      /** With whose uploads it is counted, as a digest: those of the uploader, or of the address of an anonymous one. */
      holder: text({ max: 64 }),
      /** The method, the path of the file, and the fields of the request that began it, as JSON. Absent: PUT. */
      method: text({ max: 10 }).optional(),
      target: text({ max: 10_000 }),
      requestFields: text({ max: 100_000 }),
      /** Octets that have arrived, and those of the whole where they are known. */
      offset: integer({ min: 0 }),
      length: integer({ min: 0 }).optional(),
      /** The most octets that the field takes. */
      maxSize: integer({ min: 0 }),
      parts: integer({ min: 0 }),
      complete: boolean(),
      expiresAt: timestamp(),
    },
    { index: [['holder'], ['expiresAt']] },
  )
}

/** Returns the table of the parts, whose content is stored by digest. */
export function createUploadPartsResource(): Resource {
  return resource(
    {
      upload: text({ max: 100 }),
      position: integer({ min: 0 }),
      size: integer({ min: 0 }),
      digest: text({ max: 100 }),
    },
    { index: [['upload', 'position']] },
  )
}
