/** The files of a service that has some. */

import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'

export function requireFiles({ files }: Pick<ServiceContext, 'files'>): FileHandler {
  if (files) return files
  throw new Error('The definition has no field for files')
}
