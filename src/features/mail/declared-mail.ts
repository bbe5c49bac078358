/** The mail of a definition, checked. */

import type { MailKind, MailText } from '../../definition/mail-model.ts'
import { ModelPart } from '../../definition/model-part.ts'

export interface MailModel {
  /** The address of the sender. */
  readonly from: string
  readonly texts: Readonly<Record<MailKind, MailText>>
}

/** Undefined for a service without mail. */
export const mailModel = new ModelPart<MailModel | undefined>()
