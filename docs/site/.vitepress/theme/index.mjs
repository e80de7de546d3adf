import theme from "vitepress/theme";
// Styles have no names to import.
// oxlint-disable-next-line import/no-unassigned-import
import "./tables.css";

export default theme;
