/** The mail of a definition, checked. */

import type { TemplateWords } from '../../definition/mail-template.ts'
import type { MailKind, MailText } from '../../definition/mail-texts.ts'
import { ModelPart } from '../../definition/model-part.ts'

export interface MailModel {
  /** The address of the sender. */
  readonly from: string
  readonly texts: Readonly<Record<MailKind, MailText>>
  /** The mails that code sends. */
  readonly templates: readonly MailTemplateModel[]
}

export interface MailTemplateModel {
  readonly name: string
  /** The value that code sends. */
  readonly declared: unknown
  /** Those that code gives values for. */
  readonly placeholders: readonly string[]
  /** Whether the words have a link to unsubscribe. */
  readonly canUnsubscribe: boolean
  /** The words of the template itself, then those of languages. */
  readonly texts: readonly TemplateText[]
}

/** The placeholder of the link to unsubscribe. */
export const unsubscribeName = 'unsubscribe'

export interface TemplateText extends TemplateWords {
  readonly tag: string | undefined
}

/** Undefined for a service without mail. */
export const mailModel = new ModelPart<MailModel | undefined>()
