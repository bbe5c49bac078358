/** The sections of the recording. Each has a service of its own and a file in `exchanges/`. */

import type { TestOptions } from '../../service.ts'
import type { World } from '../worlds.ts'
import { rawMessages } from './raw-messages.ts'
import { shopAccounts } from './shop-accounts.ts'
import { shopDocuments } from './shop-documents.ts'
import { shopEvents } from './shop-events.ts'
import { shopFormats } from './shop-formats.ts'
import { shopForms } from './shop-forms.ts'
import { shopMethods } from './shop-methods.ts'
import { shopNegotiation } from './shop-negotiation.ts'
import { shopQueries } from './shop-queries.ts'
import { shopWrites } from './shop-writes.ts'
import { studioMails } from './studio-mails.ts'
import { studioValues } from './studio-values.ts'
import { studioWork } from './studio-work.ts'
import { townSection } from './town.ts'
import { trackerFiles } from './tracker-files.ts'
import { trackerFormats } from './tracker-formats.ts'
import { trackerQueries } from './tracker-queries.ts'
import { trackerWrites } from './tracker-writes.ts'

export interface Section {
  /** The name of its file. */
  readonly name: string
  open(options: TestOptions): Promise<World>
  play(world: World): Promise<void>
  /** Whether it is played on PostgreSQL too. */
  readonly onPostgres?: boolean
}

export const sections: readonly Section[] = [
  shopFormats,
  shopDocuments,
  shopMethods,
  shopNegotiation,
  shopQueries,
  shopWrites,
  shopForms,
  shopAccounts,
  shopEvents,
  rawMessages,
  trackerFormats,
  trackerQueries,
  trackerWrites,
  trackerFiles,
  studioValues,
  studioWork,
  studioMails,
  townSection,
]
