/** What to do about an answer with this status; null when the service's own words must be enough. */
export function remedyFor(status: number, baseUrl: string): string | null {
  switch (status) {
    case 401:
    case 403:
      return "Check the API key (EDGEWISE_API_KEY or --api-key-file), that it belongs to this service, and what it is permitted to do.";
    case 404:
      return `Check the base URL ${baseUrl}; or somebody has deleted the resource meanwhile: plan again.`;
    case 408:
      return "The service gave up waiting: try again.";
    case 409:
      return "It conflicts with what is live, or with another run: plan again to see what is there now.";
    case 429:
      return "The service limits the rate: wait a minute, or keep below its limit with api.requestsPerMinute in the configuration.";
    default:
      if (status >= 500) return "The service, or a proxy before it, has failed: try again later.";
      if (status >= 300 && status < 400) {
        return "Redirects are not followed, as they would take the API key elsewhere: set the base URL to the service's own address.";
      }
      return null;
  }
}
