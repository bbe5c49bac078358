/** The code of requests for files, which services load whose definition has fields for them. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import type { WorkPart } from '../../work/erase-work.ts'
import { eraseUploads } from './erase-uploads.ts'
import { performOnFile } from './perform-on-file.ts'
import { openServiceFiles } from './service-files.ts'
import { upload } from './upload-document.ts'

export const filesParts = {
  requests: {
    openFiles: openServiceFiles,
    documents: [upload],
    file: performOnFile,
  } satisfies RequestsPart,
  work: { rows: [eraseUploads] } satisfies WorkPart,
}
