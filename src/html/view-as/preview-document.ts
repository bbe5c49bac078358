/**
 * `/{collection}/-/preview` and `/{collection}/{id}/-/preview`: the form that asks for the page above as an account or a
 * role would see it. With `as-account` or `as-role`, access-preview.ts shows that page.
 */

import { html } from '../../formats/html.ts'
import type { Document } from '../../requests/context/target.ts'
import { accountLookup } from '../../requests/explanations/named-account.ts'
import { formAction } from '../../views/form-action.ts'
import { asAccountParameter } from './view-as.ts'

export const previewLookup = accountLookup('View', asAccountParameter)

export const listPreview: Document = {
  route: '/{collection}/-/preview',
  name: 'preview',
  personal: true,
  cache: 'no-store',
  formats: [html],
  operations: 'postedDocument',
  form: previewLookup,
  load: ({ service: { model } }) => ({
    data: null,
    hypermedia: { links: [], actions: [formAction(model, previewLookup, '')] },
  }),
}

export const itemPreview: Document = { ...listPreview, route: '/{collection}/{id}/-/preview' }

export function isPreview({ name }: Document): boolean {
  return name === listPreview.name
}
