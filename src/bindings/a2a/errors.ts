/** Refusals as the SDK's errors: A2A's code, reason and domain stay; ours rides in `metadata.oabReason` (section 7). */
import {
  A2AError,
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import type { ProfileError } from '../../profile/errors.js';

const CLASSES: Record<
  string,
  new (options: {
    message: string;
    metadata?: Record<string, string>;
  }) => A2AError
> = {
  INVALID_PARAMS: RequestMalformedError,
  EXTENSION_SUPPORT_REQUIRED: ExtensionSupportRequiredError,
  TASK_NOT_FOUND: TaskNotFoundError,
  TASK_NOT_CANCELABLE: TaskNotCancelableError,
  PUSH_NOTIFICATION_NOT_SUPPORTED: PushNotificationNotSupportedError,
  UNSUPPORTED_OPERATION: UnsupportedOperationError,
  CONTENT_TYPE_NOT_SUPPORTED: ContentTypeNotSupportedError,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: ExtendedAgentCardNotConfiguredError,
  VERSION_NOT_SUPPORTED: VersionNotSupportedError,
};

export function toA2AError(error: ProfileError): A2AError {
  const { message, metadata } = error;
  const options = { message, ...(metadata === undefined ? {} : { metadata }) };
  const Class = CLASSES[error.a2aReason] ?? A2AError;
  return new Class(options);
}

/** For what is no refusal but a defect of ours: its text stays here. */
export function internalError(): A2AError {
  return new A2AError({ message: 'Internal error' });
}
